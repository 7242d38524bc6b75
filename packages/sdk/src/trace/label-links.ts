import type { KubeObject } from '@chandlery/api';
import { shorten } from '@chandlery/clusters/kinds';
import type { Landscape, Placed } from './links.ts';
import type { ObjectAddress } from './object-lookup.ts';

/** Objects that carry the name of what caused them in a label. These labels are part of the domains' contracts. */
interface LabelLink {
  readonly kinds: readonly string[];
  readonly group: string;
  /** Labels that all objects that such an object caused have. */
  readonly labelsOf: (object: KubeObject) => Readonly<Record<string, string>>;
}

const addressText = ({ group, kind, namespace = '', name }: ObjectAddress): string =>
  [group, kind, namespace, name].join('|');

const nameOf = ({ metadata }: KubeObject): string => metadata.name ?? '';

const ordersGroup = 'orders.chandlery.io';

const labelLinks: readonly LabelLink[] = [
  {
    kinds: ['ServiceProvider', 'ClusterProvider', 'PlatformService'],
    group: 'openmcp.cloud',
    labelsOf: object => ({
      'app.kubernetes.io/managed-by': 'chandlery-operator',
      'app.kubernetes.io/name': object.kind,
      'app.kubernetes.io/instance': shorten(nameOf(object)),
    }),
  },
  { kinds: ['Order'], group: ordersGroup, labelsOf: object => ({ [`${ordersGroup}/order`]: nameOf(object) }) },
  {
    kinds: ['Service'],
    group: ordersGroup,
    labelsOf: object => ({ [`${ordersGroup}/hosted-service`]: nameOf(object) }),
  },
  {
    kinds: ['FleetInstance'],
    group: 'fleet.chandlery.io',
    labelsOf: object => ({ 'fleet.chandlery.io/instance': nameOf(object) }),
  },
  {
    kinds: ['FleetCluster'],
    group: 'fleet.chandlery.io',
    labelsOf: object => ({ 'fleet.chandlery.io/cluster': shorten(nameOf(object)) }),
  },
];

/** On objects of providers: the id of the instance that they were adopted as, or ordered as. */
export const catalogueLabel = 'catalogue.chandlery.io/instance';
const orderAnnotation = 'osb.chandlery.io/instance-id';

export const isServiceInstance = ({ kind, apiVersion }: KubeObject): boolean =>
  kind === 'ServiceInstance' && apiVersion.startsWith('brokers.chandlery.io/');

/** The namespace of what belongs to the landscape itself, in the service manager and in the orders API. */
const ofLandscape = { instances: 'service-manager', orders: 'default' } as const;

/**
 * The objects that an instance may have been adopted from, where the id of one is that of the other: orders, services that
 * run all the time, and instances of the fleet, of which those of the REST API are in a namespace of their own.
 */
export function adoptedFrom({ metadata: { namespace = '', name = '' } }: KubeObject): readonly ObjectAddress[] {
  const group = 'fleet.chandlery.io';
  const home = namespace === ofLandscape.instances ? ofLandscape.orders : namespace;
  return [
    ...['Order', 'Service'].map(kind => ({ group: ordersGroup, kind, namespace: home, name })),
    ...['fleet', namespace].map(at => ({ group, kind: 'FleetInstance', namespace: at, name })),
  ];
}

/** A service instance causes the domain's object that it was ordered as or that it was adopted from, and its bindings. */
export function behindInstance({ object }: Placed, landscape: Landscape): Placed[] {
  if (!isServiceInstance(object)) return [];
  const id = nameOf(object);
  const origins = new Set(adoptedFrom(object).map(addressText));
  const isMeant = ({ kind, apiVersion, metadata, ...rest }: KubeObject): boolean => {
    const { instance, instanceId } = (rest as { spec?: { instance?: string; instanceId?: string } }).spec ?? {};
    if (kind === 'ServiceBinding') return instanceId === id;
    const isMadeFor = metadata.labels?.[catalogueLabel] === id || metadata.annotations?.[orderAnnotation] === id;
    if (isMadeFor || instance === id) return true;
    const [group = ''] = apiVersion.split('/');
    const { namespace = '', name = '' } = metadata;
    return instance === undefined && origins.has(addressText({ group, kind, namespace, name }));
  };
  return [...landscape].flatMap(([cluster, { all }]) => all.filter(isMeant).map(found => ({ cluster, object: found })));
}

/** The labels of what an object caused, where its domain labels that; undefined for other kinds. */
export function linkLabelsOf(object: KubeObject): Readonly<Record<string, string>> | undefined {
  const group = object.apiVersion.split('/')[0] ?? '';
  const link = labelLinks.find(({ kinds, group: wanted }) => kinds.includes(object.kind) && group.endsWith(wanted));
  return link?.labelsOf(object);
}

/** The objects on any cluster whose labels name an object as their cause, without those that such an object owns. */
export function labelledBy({ object }: Placed, landscape: Landscape): Placed[] {
  const labels = linkLabelsOf(object);
  if (labels === undefined) return [];
  const hasNoOwner = ({ metadata }: KubeObject): boolean => (metadata.ownerReferences ?? []).length === 0;
  return [...landscape].flatMap(([cluster, objects]) =>
    objects
      .labelled(labels)
      .filter(hasNoOwner)
      .map(found => ({ cluster, object: found })),
  );
}
