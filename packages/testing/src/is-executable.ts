import { access, constants } from 'node:fs/promises';

/** Whether a file is there and may be run. */
export const isExecutable = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
