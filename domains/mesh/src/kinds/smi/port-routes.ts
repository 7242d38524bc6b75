import { type Column, defineKind, type KubeObject, type ObjectOf, type VersionConversion } from '@chandlery/api';
import { Type } from 'typebox';
import {
  annotationOf,
  declareVersions,
  type OlderVersion,
  versionOf,
  withAnnotation,
  withoutSpec,
} from './versions.ts';

/** Annotation that keeps the ports in versions of TCPRoute without ports: a route without ports means all ports. */
const portsAnnotation = 'specs.smi-spec.io/tcproute-matches';

const tcp = { group: 'specs.smi-spec.io', kind: 'TCPRoute', shortNames: ['tr'], categories: ['smi'] } as const;
const tcpDescription = 'Names TCP ports, for targets to refer to.';

const spec = Type.Object({
  matches: Type.Optional(
    Type.Object({
      name: Type.Optional(Type.String()),
      ports: Type.Optional(
        Type.Array(Type.Integer({ minimum: 1, maximum: 65_535 }), {
          description: 'Ports of services, as clients know them. Default: all ports.',
        }),
      ),
    }),
  ),
});

/** TCPRoute in its storage version. */
export const tcpRoutes = defineKind({
  ...tcp,
  description: tcpDescription,
  version: 'v1alpha4',
  spec,
  isSpecOptional: true,
});
export type SmiTcpRoute = ObjectOf<typeof tcpRoutes>;

/** UDPRoute. The mesh carries no UDP: rules of this kind allow nothing. */
const udpRoutes = defineKind({
  group: 'specs.smi-spec.io',
  kind: 'UDPRoute',
  shortNames: ['ur'],
  categories: ['smi'],
  description: 'Names UDP ports, for targets to refer to. The mesh carries no UDP yet: they allow nothing.',
  version: 'v1alpha4',
  spec,
  isSpecOptional: true,
});

const empty = Type.Object({});
const alpha = (version: string) =>
  versionOf(defineKind({ ...tcp, description: tcpDescription, version, spec: empty, isSpecOptional: true }));

const withoutPorts: VersionConversion = {
  fromStorage: stored => {
    const { spec: known, ...rest } = stored as Partial<SmiTcpRoute> & KubeObject;
    if (known?.matches === undefined) return stored;
    const { matches, ...shown } = known;
    return { ...withAnnotation(rest, portsAnnotation, matches), spec: shown };
  },
  toStorage: shown => {
    const matches = annotationOf(shown, portsAnnotation);
    if (!isPortMatch(matches)) return shown;
    return { ...withAnnotation(shown, portsAnnotation, undefined), spec: { matches } };
  },
  loses: stored =>
    (stored as Partial<SmiTcpRoute>).spec?.matches === undefined
      ? []
      : [`spec.matches needs v1alpha4; it is kept in the annotation ${portsAnnotation}`],
};

function isPortMatch(value: unknown): value is NonNullable<SmiTcpRoute['spec']['matches']> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { ports = [], name = '' } = value as { ports?: unknown; name?: unknown };
  return typeof name === 'string' && Array.isArray(ports) && ports.every(isPort);
}

const isPort = (port: unknown): boolean =>
  typeof port === 'number' && Number.isInteger(port) && port >= 1 && port <= 65_535;

const older: readonly OlderVersion[] = [
  { version: alpha('v1alpha3'), conversion: withoutPorts },
  { version: withoutSpec(alpha('v1alpha2')), conversion: withoutPorts },
  { version: withoutSpec(alpha('v1alpha1')), conversion: withoutPorts },
];

const portsCell = (object: KubeObject): string => {
  const ports = (object as Partial<SmiTcpRoute>).spec?.matches?.ports ?? [];
  return ports.length === 0 ? '*' : ports.join(',');
};

const columns: readonly Column[] = [
  { name: 'Ports', type: 'string', cell: object => portsCell(object), description: 'Which ones; * for all.' },
];

/** TCPRoute in all its versions. */
export const tcpRouteKind = declareVersions(tcpRoutes, older, { columns });
/** UDPRoute. */
export const udpRouteKind = declareVersions(udpRoutes, [], { columns });
