/** Milliseconds that this thread has worked. Waiting does not count: a busy machine refuses nobody. */
export function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
