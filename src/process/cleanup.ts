/**
 * What has been opened so far, for an owner that opens several things: disposed in reverse order, also when opening the
 * next one fails. As AsyncDisposableStack, which Node 22 lacks.
 */
export class Cleanup implements AsyncDisposable {
  #closers: (() => unknown)[] = [];

  defer(close: () => unknown): void {
    this.#closers.push(close);
  }

  use<Resource extends AsyncDisposable>(resource: Resource): Resource {
    this.defer(() => resource[Symbol.asyncDispose]());
    return resource;
  }

  /** Hands everything over to the result: this one then disposes nothing. */
  move(): Cleanup {
    const moved = new Cleanup();
    moved.#closers = this.#closers;
    this.#closers = [];
    return moved;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const errors: unknown[] = [];
    for (let close = this.#closers.pop(); close !== undefined; close = this.#closers.pop()) {
      try {
        await close();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0)
      throw errors.length === 1 ? errors[0] : new AggregateError(errors, 'Could not close everything');
  }
}
