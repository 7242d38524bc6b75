import type { KubeObject } from '@chandlery/api';
import type { EndpointHealth } from '../../model/endpoint.ts';
import { canonicalIp } from '../../model/endpoints/canonical-ip.ts';
import type { ServiceKey } from '../../model/service-name.ts';

/** The used fields of an EndpointSlice. */
export interface EndpointSlice extends KubeObject {
  readonly addressType?: string;
  readonly endpoints?: readonly SliceEndpoint[] | null;
  readonly ports?: readonly SlicePort[] | null;
}

interface SliceEndpoint {
  readonly addresses: readonly string[];
  readonly conditions?: SliceConditions;
  readonly targetRef?: { readonly kind?: string; readonly name?: string; readonly uid?: string };
  readonly nodeName?: string;
  readonly zone?: string;
}

interface SliceConditions {
  readonly ready?: boolean | null;
  readonly serving?: boolean | null;
  readonly terminating?: boolean | null;
}

interface SlicePort {
  readonly name?: string;
  readonly protocol?: string;
  readonly port?: number;
}

/** An EndpointSlice reduced to the used fields: a cluster may have thousands. */
export interface CompactSlice extends KubeObject {
  /** Undefined when the slice belongs to no service. */
  readonly service: ServiceKey | undefined;
  readonly addresses: readonly SliceAddress[];
  readonly servedPorts: readonly { readonly name: string; readonly port: number }[];
  /** Why parts of the slice are ignored; undefined when none are. */
  readonly ignored: string | undefined;
}

export interface SliceAddress {
  readonly ip: string;
  readonly health: EndpointHealth;
  readonly zone: string | undefined;
  readonly node: string | undefined;
  readonly pod: { readonly name: string; readonly uid: string } | undefined;
}

const serviceNameLabel = 'kubernetes.io/service-name';

/** Reduces a slice to the used fields. */
export function compactSlice(slice: EndpointSlice): CompactSlice {
  const { apiVersion, kind, addressType, metadata } = slice;
  const { name, namespace = '', uid, resourceVersion, labels } = metadata;
  const service = labels?.[serviceNameLabel];
  const isByName = addressType === 'FQDN';
  const addresses = isByName ? [] : (slice.endpoints ?? []).flatMap(readAddress);
  return {
    apiVersion,
    kind,
    metadata: definedOnly({ name, namespace, uid, resourceVersion }),
    service: service ? `${namespace}/${service}` : undefined,
    addresses,
    servedPorts: (slice.ports ?? []).flatMap(readPort),
    ignored: isByName ? 'its addresses are host names' : ignoredAddresses(slice),
  };
}

/** Missing conditions have defaults: ready, serving if ready, not terminating. */
export function sliceHealth({ ready, serving, terminating }: SliceConditions = {}): EndpointHealth {
  if (ready !== false) return 'healthy';
  return terminating === true && serving === true ? 'draining' : 'unhealthy';
}

/** The addresses of an endpoint are interchangeable, so that the first is used. */
function readAddress({ addresses, conditions, targetRef, nodeName, zone }: SliceEndpoint): SliceAddress[] {
  const ip = canonicalIp(addresses[0] ?? '');
  if (ip === undefined) return [];
  const { kind, name = '', uid = '' } = targetRef ?? {};
  const pod = kind === 'Pod' ? { name, uid } : undefined;
  return [{ ip, health: sliceHealth(conditions), zone: zone || undefined, node: nodeName || undefined, pod }];
}

/** A port without a number means all ports, which xDS cannot express. Only TCP is supported. */
const readPort = ({ name = '', protocol = 'TCP', port }: SlicePort): CompactSlice['servedPorts'][number][] =>
  port === undefined || protocol !== 'TCP' ? [] : [{ name, port }];

function ignoredAddresses({ endpoints }: EndpointSlice): string | undefined {
  const bad = (endpoints ?? []).map(({ addresses }) => addresses[0] ?? '').filter(ip => canonicalIp(ip) === undefined);
  return bad.length === 0 ? undefined : `${bad.length} of its addresses are not of a machine, such as "${bad[0]}"`;
}

const definedOnly = (metadata: Record<string, string | undefined>): KubeObject['metadata'] =>
  Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== undefined));
