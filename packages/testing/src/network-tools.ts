import { findProgram, installDebianPackages, run } from './peers/debian-packages.ts';

/** What is run to make networks, and the Debian package that has it. */
const programs = { ip: 'iproute2', nft: 'nftables', unshare: 'util-linux', nsenter: 'util-linux' } as const;

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
    const failure = await installDebianPackages(missing);
    if (failure !== undefined) return `${missing.join(' and ')} cannot be installed: ${failure}`;
  }
  const { code, stderr } = await run('unshare', ['--net', 'sh', '-c', trial]);
  return code === 0 ? undefined : `network namespaces cannot be made or used here: ${stderr.trim()}`;
}

async function missingPackages(): Promise<readonly string[]> {
  const found = await Promise.all(
    Object.entries(programs).map(async ([program, debianPackage]) => {
      return (await findProgram(program)) === undefined ? [debianPackage] : [];
    }),
  );
  return [...new Set(found.flat())];
}
