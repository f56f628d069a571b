/** Who tasks and contexts belong to. */
export interface Owner {
  readonly caller: string;
  /** The part of the caller's data that it has named; absent: in no tenant. */
  readonly tenant?: string;
}

/** One name for both; callers' IDs have no slash. */
export function ownerKey({ caller, tenant }: Owner): string {
  return tenant === undefined ? caller : `${tenant}/${caller}`;
}
