/** What has been read and not yet sent. Reading stops while it is full, and goes on as it is emptied. */
export class NotificationQueue<Item> {
  readonly #max: number;
  readonly #items: Item[] = [];
  #changed = Promise.withResolvers<undefined>();
  #end: { readonly value: boolean } | { readonly error: unknown } | undefined;

  constructor(max: number) {
    this.#max = max;
  }

  /** Reads the source to its end, or until `signal` aborts; never rejects. */
  async fill(source: AsyncGenerator<Item, boolean, undefined>, signal: AbortSignal): Promise<void> {
    try {
      for (;;) {
        const next = await source.next();
        if (next.done === true) {
          this.#end = { value: next.value };
          break;
        }
        this.#items.push(next.value);
        this.#notify();
        while (this.#items.length >= this.#max && !signal.aborted) await this.#changed.promise;
        if (signal.aborted) break;
      }
    } catch (error) {
      this.#end = { error };
    }
    this.#notify();
  }

  get length(): number {
    return this.#items.length;
  }

  peek(): Item | undefined {
    return this.#items[0];
  }

  shift(): Item | undefined {
    const item = this.#items.shift();
    this.#notify();
    return item;
  }

  /** Set when nothing more will be added. */
  get end(): { readonly value: boolean } | { readonly error: unknown } | undefined {
    return this.#end;
  }

  /** Fulfils when something has changed; wakes who waits for that, too, when `signal` aborts. */
  async change(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const wake = (): void => this.#notify();
    signal.addEventListener('abort', wake, { once: true });
    await this.#changed.promise;
    signal.removeEventListener('abort', wake);
  }

  #notify(): void {
    this.#changed.resolve(undefined);
    this.#changed = Promise.withResolvers();
  }
}
