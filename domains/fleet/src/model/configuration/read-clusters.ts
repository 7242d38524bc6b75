import { validateDnsSubdomain } from '@chandlery/api';
import { type ClusterState, clusterStates } from '../../kinds/index.ts';
import type { ConfiguredCluster } from './configuration.ts';
import { type DocumentValue, unknownWord } from './document-value.ts';

/** Ids are parts of paths and of object names. */
const idPattern = /^[A-Za-z0-9]([-_.A-Za-z0-9]*[A-Za-z0-9])?$/;
const maxIdLength = 128;

/** The limit of a cluster has the name of the product in it, as the reference has it. */
const genericLimitKeys = ['instance_limit', 'dinosaur_instance_limit'] as const;

/** States that a cluster of the document may begin in. */
const initialStates = clusterStates.filter(state => !['failed', 'deprovisioning', 'cleanup'].includes(state));

interface ClusterContext {
  /** The product's kind in lower case. */
  readonly singular: string;
  readonly typeIds: readonly string[];
}

/** Reads `clusters`. */
export function readClusters(value: DocumentValue, context: ClusterContext): readonly ConfiguredCluster[] {
  const ids = new Set<string>();
  return value.items().map(item => {
    const cluster = readCluster(item, context);
    if (cluster.clusterId !== '' && ids.has(cluster.clusterId))
      item.reject(`the cluster id "${cluster.clusterId}" is in the list already`);
    ids.add(cluster.clusterId);
    return cluster;
  });
}

function readCluster(value: DocumentValue, context: ClusterContext): ConfiguredCluster {
  const limitKeys = [...new Set([`${context.singular}_instance_limit`, ...genericLimitKeys])];
  const field = value.fields([
    'name',
    'cluster_id',
    'cloud_provider',
    'region',
    'multi_az',
    'schedulable',
    'status',
    'provider_type',
    'cluster_dns',
    'supported_instance_type',
    ...limitKeys,
  ]);
  const clusterId = readClusterId(field('cluster_id'));
  return {
    name: field('name').text(clusterId),
    clusterId,
    cloudProvider: field('cloud_provider').text(),
    region: field('region').text(),
    multiAz: field('multi_az').flag(false),
    schedulable: field('schedulable').flag(true),
    instanceLimit: readLimit(limitKeys.map(key => field(key))),
    status: field('status').choice(initialStates as [ClusterState, ...ClusterState[]], 'cluster_provisioning'),
    providerType: field('provider_type').choice(['standalone', 'landscape'], 'standalone'),
    clusterDns: readClusterDns(field('cluster_dns')),
    supportedInstanceTypes: readSupportedTypes(field('supported_instance_type'), context.typeIds),
  };
}

function readClusterId(value: DocumentValue): string {
  const id = value.identifier();
  if (id !== '' && (!idPattern.test(id) || id.length > maxIdLength))
    value.reject(`must consist of at most ${maxIdLength} letters, digits, "-", "_" and "."`);
  return id;
}

/** One of several keys; -1 and absent mean no limit. */
function readLimit(values: readonly DocumentValue[]): number | undefined {
  const given = values.filter(value => !value.isAbsent);
  for (const value of given.slice(1)) value.reject(`is given together with ${given[0]?.path}; remove one of them`);
  const limit = given[0]?.integer({ min: -1 }, -1) ?? -1;
  return limit === -1 ? undefined : limit;
}

function readClusterDns(value: DocumentValue): string {
  if (value.isAbsent) return '';
  const dns = value.text();
  if (dns !== '' && validateDnsSubdomain(dns).length > 0) value.reject('must be a DNS name, such as apps.example.com');
  return dns;
}

/** Ids separated by commas, as the reference has it, or a list of them. */
function readSupportedTypes(value: DocumentValue, typeIds: readonly string[]): readonly string[] | undefined {
  if (value.isAbsent) return undefined;
  const ids = Array.isArray(value.value) ? value.items().map(item => item.text()) : value.text().split(',');
  const types = ids.map(id => id.trim()).filter(id => id !== '');
  if (types.length === 0) value.reject('must name at least one instance type');
  for (const id of types) if (!typeIds.includes(id)) value.reject(unknownWord('the instance type', id, typeIds));
  return types;
}
