import type { KubeObject } from '@chandlery/api';
import { hash8, shorten } from '@chandlery/clusters/kinds';
import {
  componentBindings,
  components,
  controlPlanes,
  projects,
  retainedServices,
  workspaces,
} from '../../kinds/index.ts';
import { managedByTenants } from '../tenants/role-rules.ts';
import { tenantLabels } from '../tenants/tenant-place.ts';

/** The place of tenants' own APIs. */
export interface TenantClusters {
  /** The landscape's address, without a path. */
  readonly url: string;
  /** The logical cluster with the tenants' objects: the onboarding cluster. */
  readonly base: string;
}

export const logicalClusters = { group: 'core.chandlery.io', version: 'v1alpha1', plural: 'logicalclusters' } as const;

/** A logical cluster, as far as tenants' own APIs need it. */
export interface TenantCluster extends KubeObject {
  spec?: { readonly view?: { readonly base?: string } };
}

/** Names that the landscape uses, or may use, for logical clusters of its own. */
const reserved = /^(platform|onboarding|workload.*|mcp.*)$/;

/** The possible names of a project's logical cluster, in order: the project's name if it is free. */
export function clusterNames(project: string): readonly string[] {
  const other = shorten(`${project}-${hash8('project', project)}`);
  return reserved.test(project) ? [other] : [project, other];
}

/** Whether a logical cluster was created for the project. */
export const isClusterOf = ({ metadata, spec }: TenantCluster, project: string): boolean =>
  spec?.view !== undefined && metadata.labels?.[tenantLabels.project] === project;

/** What every tenant's own API serves besides the chosen components; who may do what with it: `tenants/role-rules.ts`. */
const always = [
  'configmaps',
  'events',
  'secrets',
  ...[workspaces, componentBindings, components, controlPlanes, retainedServices].map(resourceName),
];

/** The logical cluster of a project: a view of the project's namespaces. */
export function tenantCluster(name: string, project: string, { base }: TenantClusters): KubeObject {
  return {
    apiVersion: `${logicalClusters.group}/${logicalClusters.version}`,
    kind: 'LogicalCluster',
    metadata: { name, labels: { ...managedByTenants, [tenantLabels.project]: project } },
    spec: {
      displayName: `Tenant ${project}`,
      view: {
        base,
        namespaceSelector: { matchLabels: { [tenantLabels.project]: project } },
        resources: [...always].sort(),
        objects: [`${resourceName(projects)}/${project}`],
      },
    },
  };
}

/** What a binding adds to the logical cluster of its project; an empty list removes it. */
export const servedBy = (name: string, kinds: readonly { readonly group: string; readonly plural: string }[]) => ({
  apiVersion: `${logicalClusters.group}/${logicalClusters.version}`,
  kind: 'LogicalCluster',
  metadata: { name },
  ...(kinds.length === 0 ? {} : { spec: { view: { resources: kinds.map(resourceName).sort() } } }),
});

/** The field manager of what a binding adds. */
export const managerOf = ({ metadata: { name = '' } }: KubeObject): string => shorten(`component-binding:${name}`, 128);

function resourceName({ group, plural }: { readonly group: string; readonly plural: string }): string {
  return `${plural}.${group}`;
}
