/** From one who pushes to one who pulls. */
export class HandOver<Item> implements AsyncIterable<Item> {
  readonly #items: Item[] = [];
  #isOver = false;
  #failure: { readonly error: unknown } | undefined;
  #changed = Promise.withResolvers<undefined>();

  give(item: Item): void {
    this.#items.push(item);
    this.#change();
  }

  end(): void {
    this.#isOver = true;
    this.#change();
  }

  /** As `end`, with what the reader gets to see when it has taken all. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    this.end();
  }

  /** Resolves when nothing waits to be taken, or nobody takes any more. */
  async taken(): Promise<void> {
    while (this.#items.length > 0 && !this.#isOver) await this.#changed.promise;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for (;;) {
      const [item] = this.#items;
      if (item !== undefined) {
        yield item;
        this.#items.shift();
        this.#change();
      } else if (this.#failure !== undefined) {
        throw this.#failure.error;
      } else if (this.#isOver) {
        return;
      } else {
        await this.#changed.promise;
      }
    }
  }

  #change(): void {
    const { resolve } = this.#changed;
    this.#changed = Promise.withResolvers();
    resolve(undefined);
  }
}
