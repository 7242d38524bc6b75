import type { StringMatcher, SubjectAltNameMatcher } from '../proto/messages.ts';

/** Matches one SPIFFE id. */
export const exactly = (principal: string): StringMatcher => ({ exact: principal });

/** Matches all workloads of a tenant, in any trust domain. */
export const tenantMember = (tenant: string): StringMatcher => ({
  safe_regex: { regex: `spiffe://[^/]+/tenant/${tenant.replaceAll('.', String.raw`\.`)}/.*` },
});

/** No certificate has this name: an empty list of names would accept all peers. */
const noPeer: StringMatcher = { exact: 'nobody' };

/** The accepted peers; for an empty list, none. */
export const acceptedPeers = (peers: readonly StringMatcher[]): readonly StringMatcher[] =>
  peers.length === 0 ? [noPeer] : peers;

/** Matchers of subject alternative names: SPIFFE ids are URIs. */
export const uriMatchers = (peers: readonly StringMatcher[]): SubjectAltNameMatcher[] =>
  acceptedPeers(peers).map(matcher => ({ san_type: 'URI', matcher }));
