import { isError } from '@chandlery/api';

/** Whether a write failed because its namespace or its cluster is being deleted: there is nothing to repair, and it ends. */
export const isTerminating = (error: unknown): boolean =>
  isError(error, 'Forbidden') &&
  (error.details.causes?.some(({ reason }) => reason === 'NamespaceTerminating') === true ||
    error.message.endsWith('because it is being terminated'));
