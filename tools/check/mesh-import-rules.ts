import type { IForbiddenRuleType } from 'dependency-cruiser';

/** A room of the mesh that sees little of the rest: itself, what it shares with others, and nothing else of the domain. */
interface Room {
  readonly name: string;
  readonly comment: string;
  /** Its own files, and those that it shares with others: these see no more than the room does. */
  readonly files: readonly string[];
  /** Another room whose files it sees. Default: none. */
  readonly sees?: string;
}

const rooms: readonly Room[] = [
  {
    name: 'mesh-topology',
    comment:
      'The topology of the mesh reads SMI and knows services by name: addresses and ports come from the endpoints side (ServiceDirectory), and Envoy is known to resources/ alone.',
    files: [
      'topology/',
      'kinds/smi/',
      String.raw`model/(service-name|topology)\.ts`,
      String.raw`ports/(mesh-topology|unsubscribe)\.ts`,
    ],
  },
  {
    name: 'mesh-endpoints',
    comment:
      'Endpoints providers and the service directory know their platforms: no SMI (kinds/smi, topology/, model/policy) and no Envoy (resources/, xds/, server/).',
    files: [
      'endpoints/',
      'kinds/clouds/',
      String.raw`kinds/(endpoint-set|machine-fields|virtual-machine-set)\.ts`,
      'model/clouds/',
      String.raw`model/(endpoint|identity|mesh-instance|mesh-service|service-name)\.ts`,
      String.raw`model/endpoints/(canonical-ip|endpoint-order|endpoint-set-state|may-back|normalize-endpoints)\.ts`,
      String.raw`ports/(clouds|endpoints|machine-events|mesh-instances|unsubscribe)\.ts`,
    ],
  },
  {
    name: 'mesh-clouds',
    comment:
      'The controllers that poll clouds and publish their endpoints are part of these providers: no SMI and no Envoy, as in endpoints/.',
    files: ['controllers/cloud-accounts/', 'controllers/cloud-resources/'],
    sees: 'mesh-endpoints',
  },
];

const pathsOf = ({ files, sees }: Room): readonly string[] => [
  ...files,
  ...rooms.filter(({ name }) => name === sees).flatMap(pathsOf),
];

const inMesh = (files: readonly string[]): string => `^domains/mesh/src/(${files.join('|')})`;

/** What the rooms of the mesh may import of it. */
export const meshImportRules = (testCode: string): readonly IForbiddenRuleType[] => [
  ...rooms.map(
    (room): IForbiddenRuleType => ({
      name: `${room.name}-imports`,
      comment: room.comment,
      severity: 'error',
      from: { path: inMesh(room.files), pathNot: testCode },
      to: { path: '^domains/mesh/', pathNot: inMesh(pathsOf(room)) },
    }),
  ),
  {
    name: 'mesh-clouds-when-used',
    comment: 'The libraries of clouds are loaded when an account is read (await import), not when the server starts.',
    severity: 'error',
    from: { path: inMesh(['endpoints/clouds/']), pathNot: testCode },
    to: { path: '(^|/)node_modules/(@aws-sdk/|aws4fetch/)', dynamic: false, dependencyTypesNot: ['type-only'] },
  },
];
