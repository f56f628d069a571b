/** What listings filter and sort by. Visibility answers from these, so nothing that must be right depends on them. */
export const SEARCH_ATTRIBUTES = {
  A2aCaller: 'Keyword',
  A2aPublication: 'Keyword',
  A2aContext: 'Keyword',
  A2aState: 'Keyword',
  A2aUpdated: 'Datetime',
  A2aOpenQuestions: 'Int',
} as const;

/** temporal.api.enums.v1.IndexedValueType */
export const INDEXED_VALUE_TYPES = { Keyword: 2, Int: 3, Datetime: 6 } as const;
