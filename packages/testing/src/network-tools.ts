import { toError } from '@chandlery/api';
import { runProcess } from './run-process.ts';

/** What is run to make networks, and the Debian package that has it. */
const programs = { ip: 'iproute2', nft: 'nftables', unshare: 'util-linux', nsenter: 'util-linux' } as const;

const installTimeoutMs = 300_000;

/** A namespace can be made, and connections can be redirected in it. */
const trial = `nft add table ip trial && nft add chain ip trial out '{ type nat hook output priority -100; }' &&
nft add rule ip trial out ip protocol tcp redirect to :1 && ip link add trial type veth peer name other`;

/**
 * Returns why this machine cannot give tests networks of their own: namespaces with their own addresses and redirected
 * connections. Undefined when it can. Missing programs are installed where the tests run as root and apt-get is there.
 */
export async function whyNoNetworks(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'network namespaces are a part of Linux';
  if (process.getuid?.() !== 0) return 'networks are made by root alone; run this test as root';
  const missing = await missingPackages();
  if (missing.length > 0) {
    const failure = await install(missing);
    if (failure !== undefined) return `${missing.join(' and ')} cannot be installed: ${failure}`;
  }
  const { code, stderr } = await run('unshare', ['--net', 'sh', '-c', trial]);
  return code === 0 ? undefined : `network namespaces cannot be made or used here: ${stderr.trim()}`;
}

async function missingPackages(): Promise<readonly string[]> {
  const found = await Promise.all(
    Object.entries(programs).map(async ([program, debianPackage]) => {
      const { code } = await run('sh', ['-c', `command -v ${program}`]);
      return code === 0 ? [] : [debianPackage];
    }),
  );
  return [...new Set(found.flat())];
}

/** Returns why it failed. */
async function install(packages: readonly string[]): Promise<string | undefined> {
  const flags = ['install', '--yes', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=120'];
  const installPackages = () => run('apt-get', [...flags, ...packages]);
  const first = await installPackages();
  if (first.code === 0) return undefined;
  await run('apt-get', ['update']);
  const second = await installPackages();
  return second.code === 0 ? undefined : second.stderr.trim();
}

/** A program that cannot be started has failed. */
const run = (program: string, args: readonly string[]): Promise<{ readonly code: number; readonly stderr: string }> =>
  runProcess(program, args, { timeoutMs: installTimeoutMs, env: { DEBIAN_FRONTEND: 'noninteractive' } }).catch(
    (error: unknown) => ({ code: -1, stderr: toError(error).message }),
  );
