/** Text and data of a task up to this size stand in the task itself; what goes beyond it is a file. */
export const TEXT_BYTES_MAX = 1024 * 1024;

/** Counts, by artifact ID, what stands in the task. An artifact that is begun anew takes the place of its earlier turn's. */
export class TextRoom {
  readonly #bytes: Map<string, number>;

  /** @param shownBytes what the task shows from earlier turns */
  constructor(shownBytes: Readonly<Record<string, number>>) {
    this.#bytes = new Map(Object.entries(shownBytes));
  }

  /** Whether the artifact may stand there with so many bytes. If not, it takes none. */
  hold(artifactId: string, bytes: number): boolean {
    this.#bytes.delete(artifactId);
    const others = [...this.#bytes.values()].reduce((sum, each) => sum + each, 0);
    if (others + bytes > TEXT_BYTES_MAX) return false;
    this.#bytes.set(artifactId, bytes);
    return true;
  }
}
