/** Which servers a replica may use: one that takes writes, or whichever answers first. */
export type SessionTarget = 'read-write' | 'any';

/** A database address with all its servers. */
export interface DatabaseUrl {
  /** One address for each server, in the order in which they are tried. */
  readonly urls: readonly string[];
  readonly target: SessionTarget;
}

/** What is wrong with a database address. Never holds any part of the address that may be a password. */
export class DatabaseUrlProblem extends Error {}

const authority = /^(postgres(?:ql)?:\/\/)((?:[^/?#]*@)?)([^/?#@]*)(.*)$/s;
const hostPattern = /^(\[[0-9A-Fa-f:.]+\]|[^:[\]\s]+)?(?::([^:]*))?$/;
const targets: ReadonlyMap<string, SessionTarget> = new Map([
  ['read-write', 'read-write'],
  ['primary', 'read-write'],
  ['any', 'any'],
]);

/**
 * Takes an address of PostgreSQL apart, in the notation of libpq: `postgres://user:password@one:5432,two:5432/name`, where
 * `target_session_attrs` may say which of several servers will do. Throws `DatabaseUrlProblem`.
 */
export function parseDatabaseUrl(text: string): DatabaseUrl {
  const match = authority.exec(text);
  if (match === null) throw new DatabaseUrlProblem('must be an address that starts with postgres://, or sqlite');
  const [, scheme = '', user = '', hosts = '', rest = ''] = match;
  const places = hosts.split(',').map((host, index) => checkHost(host, index, hosts.includes(',')));
  const urls = places.map(place => `${scheme}${user}${place}${rest}`);
  const [first = ''] = urls;
  if (!URL.canParse(first))
    throw new DatabaseUrlProblem(
      'is not a valid address; special characters of the user and password are written as %XX',
    );
  const { target, isGiven } = targetOf(new URL(first));
  return { urls: isGiven ? urls.map(withoutTarget) : urls, target };
}

function checkHost(host: string, index: number, isList: boolean): string {
  const which = isList ? `host ${index + 1}` : 'the host';
  const match = hostPattern.exec(host);
  if (match === null)
    throw new DatabaseUrlProblem(`names ${which} in a way that cannot be read; IPv6 addresses need [ ]`);
  const [, name, port] = match;
  if (isList && name === undefined)
    throw new DatabaseUrlProblem(`leaves ${which} empty; the list of hosts has a comma too many`);
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) > 0 && Number(port) < 65_536))
    throw new DatabaseUrlProblem(`gives ${which} a port that is no number from 1 to 65535`);
  return host;
}

function targetOf({ searchParams }: URL): { target: SessionTarget; isGiven: boolean } {
  const given = searchParams.get('target_session_attrs');
  const target = targets.get(given ?? 'read-write');
  if (target === undefined)
    throw new DatabaseUrlProblem(`has an unknown target_session_attrs; it is one of ${[...targets.keys()].join(', ')}`);
  if (searchParams.get('host')?.includes(',') === true)
    throw new DatabaseUrlProblem(
      'names several hosts in "host="; they belong before the name: postgres://one,two/name',
    );
  return { target, isGiven: given !== null };
}

/** The driver would send it to the server. */
function withoutTarget(url: string): string {
  const parsed = new URL(url);
  parsed.searchParams.delete('target_session_attrs');
  return parsed.href;
}
