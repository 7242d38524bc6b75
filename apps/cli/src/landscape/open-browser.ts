import { spawn } from 'node:child_process';

/** Opens an address in the user's browser. Where there is none, the user opens it by hand. */
export function openBrowser(url: string): void {
  const [command = '', ...args] = process.platform === 'darwin' ? ['open', url] : ['xdg-open', url];
  spawn(command, args, { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref();
}
