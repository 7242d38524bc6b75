import type * as Server from '@chandlery/server';

/** Loads the server with all its parts; only commands that run or verify one wait for that. */
export const loadServer = (): Promise<typeof Server> => import('@chandlery/server');
