/** Where a large value is kept: in the payload store, as JSON. The workflow hands on this in its place. */
export interface KeptRef {
  /** Hex SHA-256 of the JSON in UTF-8. */
  readonly sha256: string;
  readonly bytes: number;
}

/** One of a list that is kept in pages. */
export interface KeptItem {
  readonly page: KeptRef;
  /** Its index within the page. */
  readonly at: number;
}
