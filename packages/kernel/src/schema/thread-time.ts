/** CPU milliseconds of this thread. Waiting does not count, so that a busy machine rejects no object. */
export function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
