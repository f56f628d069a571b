import { setTimeout as delay } from 'node:timers/promises';
import { inParallel } from '../in-parallel.ts';
import type { Raw } from '../raw/start-raw.ts';
import type { Product } from './start-product.ts';

const SUBMITS_AT_ONCE = 32;
const POLL_MS = 500;

/** Tasks that wait for an answer; sections share them, since making thousands takes minutes. */
export class WaitingTasks {
  readonly #product: Product;
  readonly #raw: Raw;
  readonly #say: (line: string) => void;
  #ids: string[] = [];

  constructor(product: Product, raw: Raw, say: (line: string) => void) {
    this.#product = product;
    this.#raw = raw;
    this.#say = say;
  }

  /** Makes what is missing, and returns the IDs of so many when they wait. */
  async ensure(count: number): Promise<readonly string[]> {
    const missing = count - this.#ids.length;
    if (missing > 0) {
      this.#say(`making ${missing} tasks that wait for an answer`);
      let made = 0;
      const ids = await inParallel(missing, { atOnce: SUBMITS_AT_ONCE }, async () => {
        const { id } = await this.#product.client.submit('waits');
        if (++made % 1000 === 0) this.#say(`  ${made} submitted`);
        return id;
      });
      this.#ids.push(...ids);
      while ((await this.#raw.ask('countWaitingTasks', {})) < this.#ids.length) await delay(POLL_MS);
    }
    return this.#ids.slice(0, count);
  }

  /** Takes out so many of those that fit, spread over all of them: they are about to be answered. */
  take(count: number, isFit: (id: string) => boolean = () => true): readonly string[] {
    const fit = this.#ids.filter(isFit);
    const step = Math.max(1, Math.floor(fit.length / count));
    const taken = new Set(fit.filter((_, index) => index % step === 0).slice(0, count));
    this.#ids = this.#ids.filter((id) => !taken.has(id));
    return [...taken];
  }
}
