import type { MeshInfo, PolicyName } from '@chandlery/mesh/kinds';
import { objectHref } from '../../routing/paths.ts';
import { partsOf } from './mesh.ts';

/** Where service instances and their bindings are. */
const brokersCluster = 'onboarding';

/** The address of the object that declares a policy. */
export function policyHref({ kind, name }: PolicyName, { topologyCluster }: MeshInfo): string {
  return kind === 'TrafficTarget'
    ? objectHref(topologyCluster, { group: 'access.smi-spec.io', plural: 'traffictargets' }, partsOf(name), asYaml)
    : objectHref(brokersCluster, { group: 'brokers.chandlery.io', plural: 'servicebindings' }, partsOf(name));
}

const asYaml = { tab: 'yaml' };

/** The address of the object that divides the traffic of a service. */
export const splitHref = (source: string, { topologyCluster }: MeshInfo): string =>
  objectHref(topologyCluster, { group: 'split.smi-spec.io', plural: 'trafficsplits' }, partsOf(source), asYaml);
