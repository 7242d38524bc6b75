/** How a pass over a row ended. */
export type ReconcileResult =
  /** Nothing more until something changes. */
  | { readonly type: 'done' }
  | { readonly type: 'later'; readonly delayMs: number }
  /** To be tried again, after a while. */
  | { readonly type: 'failed'; readonly error: unknown };
