import { maskSecrets } from '../log/redact.ts';
import type { OidcClaimRules } from '../tokens/oidc-claims.ts';
import { parseText, problem } from './option.ts';
import { didYouMean, kebabCase } from './option-names.ts';

/** An entry of the option `oidc`; goes into `createOidcVerifier` as it is. */
export interface OidcProviderConfig extends OidcClaimRules {
  readonly audiences: readonly string[];
  readonly caFile?: string;
}

type FieldParser = (raw: unknown) => unknown;

const fields: Readonly<Record<keyof OidcProviderConfig, FieldParser>> = {
  issuer: parseText,
  audiences: parseAudiences,
  usernameClaim: parseText,
  usernamePrefix: parseText,
  groupsClaim: parseText,
  groupsPrefix: parseText,
  requiredClaims: parseClaims,
  caFile: parseText,
};
const fieldNames = Object.keys(fields) as (keyof OidcProviderConfig)[];

/** Reads the list of OpenID providers. */
export function parseOidcProviders(value: unknown): readonly OidcProviderConfig[] {
  if (!Array.isArray(value)) problem('must be a list of providers');
  const providers = value.map(parseProvider);
  const issuers = providers.map(({ issuer }) => issuer);
  const twice = issuers.find((issuer, at) => issuers.indexOf(issuer) !== at);
  if (twice !== undefined) problem(`must name each issuer once, but names ${maskSecrets(twice)} twice`);
  return providers;
}

function parseProvider(entry: unknown, at: number): OidcProviderConfig {
  const place = `entry ${at + 1}`;
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry))
    return problem(`must be a list of maps, but ${place} is none`);
  const parsed = Object.entries(entry).map(([written, raw]) => {
    const name = fieldNames.find(field => kebabCase(field) === kebabCase(written));
    if (name === undefined) return problem(`has an unknown key "${written}" in ${place}${suggestion(written)}`);
    return [name, parseField(name, raw, place)] as const;
  });
  const provider = Object.fromEntries(parsed) as Partial<OidcProviderConfig>;
  const { issuer, audiences } = provider;
  if (issuer === undefined) return problem(`must have an issuer in ${place}`);
  if (audiences === undefined) return problem(`must have audiences in ${place}`);
  return { ...provider, issuer, audiences };
}

function parseField(name: keyof OidcProviderConfig, raw: unknown, place: string): unknown {
  try {
    return fields[name](raw);
  } catch (error) {
    return problem(`is wrong in ${place}: ${name} ${(error as Error).message}`);
  }
}

const suggestion = (written: string): string => didYouMean(written, fieldNames);

function parseAudiences(raw: unknown): readonly string[] {
  const audiences = Array.isArray(raw) ? raw : [raw];
  return audiences.length === 0 ? problem('must not be empty') : audiences.map(parseText);
}

function parseClaims(raw: unknown): Readonly<Record<string, string>> {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw))
    return problem('must be a map of claims to values');
  return Object.fromEntries(Object.entries(raw).map(([claim, value]) => [claim, parseText(value)]));
}
