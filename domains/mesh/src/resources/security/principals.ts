import type { StringMatcher, SubjectAltNameMatcher } from '../proto/messages.ts';

/** The workload with just this SPIFFE id. */
export const exactly = (principal: string): StringMatcher => ({ exact: principal });

/** Any workload of a tenant, in whichever trust domain holds. */
export const tenantMember = (tenant: string): StringMatcher => ({
  safe_regex: { regex: `spiffe://[^/]+/tenant/${tenant.replaceAll('.', String.raw`\.`)}/.*` },
});

/** No certificate has this name: an empty list of names would let everybody in. */
const nobody: StringMatcher = { exact: 'nobody' };

/** Those who are accepted as peers; for an empty list, nobody is. */
export const acceptedPeers = (peers: readonly StringMatcher[]): readonly StringMatcher[] =>
  peers.length === 0 ? [nobody] : peers;

/** As Envoy wants it: SPIFFE ids are URIs. */
export const uriMatchers = (peers: readonly StringMatcher[]): SubjectAltNameMatcher[] =>
  acceptedPeers(peers).map(matcher => ({ san_type: 'URI', matcher }));
