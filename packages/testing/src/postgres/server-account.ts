import { readFile } from 'node:fs/promises';

/** A system user, as `spawn` and `chown` want it. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** The user to run the server as. PostgreSQL does not run as root; other users run it as themselves. */
export async function serverAccount(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = parseAccounts(await readFile('/etc/passwd', 'utf8'));
  return accounts.get('postgres') ?? accounts.get('nobody') ?? { uid: 65_534, gid: 65_534 };
}

function parseAccounts(passwd: string): ReadonlyMap<string, Account> {
  const lines = passwd.split('\n').map(line => line.split(':'));
  return new Map(lines.map(([name = '', , uid, gid]) => [name, { uid: Number(uid), gid: Number(gid) }]));
}
