/** Kubernetes' own groups in the order in which its servers list them, each with the name of its Go package. */
const wellKnownGroups: ReadonlyMap<string, string> = new Map([
  ['', 'io.k8s.api.core'],
  ['apiregistration.k8s.io', 'io.k8s.kube-aggregator.pkg.apis.apiregistration'],
  ['apps', 'io.k8s.api.apps'],
  ['events.k8s.io', 'io.k8s.api.events'],
  ['authentication.k8s.io', 'io.k8s.api.authentication'],
  ['authorization.k8s.io', 'io.k8s.api.authorization'],
  ['autoscaling', 'io.k8s.api.autoscaling'],
  ['batch', 'io.k8s.api.batch'],
  ['certificates.k8s.io', 'io.k8s.api.certificates'],
  ['networking.k8s.io', 'io.k8s.api.networking'],
  ['policy', 'io.k8s.api.policy'],
  ['rbac.authorization.k8s.io', 'io.k8s.api.rbac'],
  ['storage.k8s.io', 'io.k8s.api.storage'],
  ['admissionregistration.k8s.io', 'io.k8s.api.admissionregistration'],
  ['apiextensions.k8s.io', 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions'],
  ['scheduling.k8s.io', 'io.k8s.api.scheduling'],
  ['coordination.k8s.io', 'io.k8s.api.coordination'],
  ['node.k8s.io', 'io.k8s.api.node'],
  ['discovery.k8s.io', 'io.k8s.api.discovery'],
  ['resource.k8s.io', 'io.k8s.api.resource'],
  ['flowcontrol.apiserver.k8s.io', 'io.k8s.api.flowcontrol'],
]);

const rank: ReadonlyMap<string, number> = new Map([...wellKnownGroups.keys()].map((group, index) => [group, index]));

/** The core group, Kubernetes' other groups in their usual order, then all others by name. */
export function compareGroups(a: string, b: string): number {
  const byRank = (rank.get(a) ?? rank.size) - (rank.get(b) ?? rank.size);
  if (byRank !== 0) return byRank;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The package under which Kubernetes publishes a group's schemas; for other groups their name, reversed. */
export const packageOfGroup = (group: string): string =>
  wellKnownGroups.get(group) ?? group.split('.').reverse().join('.');
