import type { CloudProvider, CloudRegion, RegionLimits } from './configuration.ts';
import { type DocumentValue, mapUnique, unknownWord } from './document-value.ts';

/** Reads `supported_providers`, of which one is the default, as is one region of each. */
export function readProviders(value: DocumentValue, typeIds: readonly string[]): ReadonlyMap<string, CloudProvider> {
  const providers = mapUnique(value.items(), item => {
    const provider = readProvider(item, typeIds);
    return [provider.name, provider];
  });
  return withOneDefault(value, providers, 'provider');
}

function readProvider(value: DocumentValue, typeIds: readonly string[]): CloudProvider {
  const field = value.fields(['name', 'display_name', 'default', 'regions']);
  const name = field('name').text();
  const regions = mapUnique(field('regions').items(), item => {
    const region = readRegion(item, typeIds);
    return [region.name, region];
  });
  if (regions.size === 0) field('regions').reject('must have at least one region');
  return {
    name,
    displayName: field('display_name').text(name),
    isDefault: field('default').flag(false),
    regions: withOneDefault(field('regions'), regions, 'region'),
  };
}

function readRegion(value: DocumentValue, typeIds: readonly string[]): CloudRegion {
  const field = value.fields(['name', 'display_name', 'default', 'supported_instance_type']);
  const name = field('name').text();
  const instanceTypes = new Map<string, RegionLimits>();
  for (const [id, limits] of field('supported_instance_type').entries()) {
    if (!typeIds.includes(id)) limits.reject(unknownWord('the instance type', id, typeIds));
    instanceTypes.set(id, readLimits(limits));
  }
  return {
    name,
    displayName: field('display_name').text(name),
    isDefault: field('default').flag(false),
    instanceTypes,
  };
}

const slackKey = 'min_available_capacity_slack_streaming_units';

function readLimits(value: DocumentValue): RegionLimits {
  const field = value.fields(['limit', slackKey]);
  const limit = field('limit').optionalInteger({});
  const slack = field(slackKey).integer({}, 0);
  if (limit !== undefined && slack > limit) field(slackKey).reject(`must not be above the limit, which is ${limit}`);
  return { limit, slack };
}

/** The only member is the default even where the document does not say so; of several exactly one must say it. */
function withOneDefault<Member extends { readonly isDefault: boolean }>(
  value: DocumentValue,
  members: ReadonlyMap<string, Member>,
  what: string,
): ReadonlyMap<string, Member> {
  if (members.size === 1) return new Map([...members].map(([name, member]) => [name, { ...member, isDefault: true }]));
  const defaults = [...members.keys()].filter(name => members.get(name)?.isDefault);
  if (members.size > 0 && defaults.length !== 1)
    value.reject(`must have exactly one default ${what}, not ${defaults.length === 0 ? 'none' : defaults.join(', ')}`);
  return members;
}
