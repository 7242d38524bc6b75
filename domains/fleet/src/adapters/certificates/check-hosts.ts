import { peerRejected } from '../../port-errors.ts';

const maxHosts = 100;
const maxHostLength = 253;
const hostPattern = /^(\*\.)?([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** Returns hosts in lower case, each once. Throws `TerminalError` when no certificate can name them. */
export function checkHosts(hosts: readonly string[]): readonly string[] {
  const names = [...new Set(hosts.map(host => host.toLowerCase().replace(/\.$/, '')))];
  if (names.length === 0 || names.length > maxHosts) throw invalid(`${names.length} hosts are not 1 to ${maxHosts}`);
  for (const name of names) {
    if (name.length > maxHostLength || !hostPattern.test(name) || /^[\d.]+$/.test(name))
      throw invalid(`${JSON.stringify(name)} is not a DNS name`);
  }
  return names;
}

const invalid = (why: string) =>
  peerRejected(`cannot issue a certificate: ${why}`, 'Correct the hosts of the instance or the DNS domain.');
