import { type Column, defineKind, type KubeObject, type ObjectOf, type VersionConversion } from '@chandlery/api';
import { Type } from 'typebox';
import { declareVersions, type OlderVersion, versionOf, withoutSpec } from './versions.ts';

const target = { group: 'access.smi-spec.io', kind: 'TrafficTarget', shortNames: ['tt'], categories: ['smi'] } as const;
const description = 'Allows service accounts to call a service account. What no target allows is denied.';

const subject = {
  kind: Type.Enum(['ServiceAccount']),
  name: Type.String({ minLength: 1 }),
  namespace: Type.Optional(Type.String({ description: 'Default: that of the target.' })),
};

const rule = Type.Object({
  kind: Type.Enum(['HTTPRouteGroup', 'TCPRoute', 'UDPRoute']),
  name: Type.String({ minLength: 1 }),
  matches: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), { description: 'Names of matches of the group. Default: all of them.' }),
  ),
});

const portDescription = 'Everything that is allowed is allowed on this port only. Default: on all ports.';
const sources = Type.Array(Type.Object(subject), { description: 'Who may call.' });
const rules = Type.Array(rule, { description: 'What they may call it for. None: nothing.' });

/**
 * TrafficTarget in its storage version. `destination.port`, which `v1alpha3` of SMI dropped, is kept and enforced:
 * without it, a converted target would allow more than before.
 */
export const trafficTargets = defineKind({
  ...target,
  description,
  version: 'v1alpha3',
  spec: Type.Object({
    destination: Type.Object({
      ...subject,
      port: Type.Optional(
        Type.Unsafe<number | string>({ 'x-kubernetes-int-or-string': true, description: portDescription }),
      ),
    }),
    rules,
    sources,
  }),
});
export type SmiTrafficTarget = ObjectOf<typeof trafficTargets>;

const laxRules = Type.Optional(Type.Array(rule, { default: [], description: 'None: nothing is allowed.' }));
const laxSources = Type.Optional(Type.Array(Type.Object(subject), { default: [], description: 'Who may call.' }));

const alpha2 = defineKind({
  ...target,
  description,
  version: 'v1alpha2',
  spec: Type.Object({
    destination: Type.Object({
      ...subject,
      port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_535, description: portDescription })),
    }),
    rules: laxRules,
    sources: laxSources,
  }),
});

const alpha1 = defineKind({
  ...target,
  description,
  version: 'v1alpha1',
  spec: Type.Object({
    destination: Type.Object({
      ...subject,
      port: Type.Optional(
        Type.Unsafe<number | string>({ 'x-kubernetes-int-or-string': true, description: portDescription }),
      ),
    }),
    specs: laxRules,
    sources: laxSources,
  }),
});

const numberedPort: VersionConversion = {
  fromStorage: stored => {
    const { spec, ...rest } = stored as SmiTrafficTarget;
    const { port, ...destination } = spec.destination;
    const numbered = port === undefined ? destination : { ...destination, port: Number(port) };
    return { ...rest, spec: { ...spec, destination: numbered } };
  },
  toStorage: shown => shown,
};

type OldTarget = KubeObject &
  Pick<SmiTrafficTarget['spec'], 'destination' | 'sources'> & {
    specs: SmiTrafficTarget['spec']['rules'];
  };

const atTheTop: VersionConversion = {
  fromStorage: stored => {
    const { spec, ...rest } = stored as SmiTrafficTarget;
    return { ...rest, destination: spec.destination, specs: spec.rules, sources: spec.sources };
  },
  toStorage: shown => {
    const { destination, specs, sources: callers, ...rest } = shown as OldTarget;
    return { ...rest, spec: { destination, rules: specs, sources: callers } };
  },
};

const older: readonly OlderVersion[] = [
  { version: versionOf(alpha2), conversion: numberedPort },
  { version: withoutSpec(versionOf(alpha1)), conversion: atTheTop },
];

const columns: readonly Column[] = [
  { name: 'Destination', type: 'string', cell: object => destinationCell(object), description: 'Who is called.' },
  { name: 'Sources', type: 'string', cell: object => sourcesCell(object), description: 'Who may call.' },
  { name: 'Rules', type: 'string', priority: 1, cell: object => rulesCell(object), description: 'For what.' },
];

const specOf = (object: KubeObject): SmiTrafficTarget['spec'] => (object as SmiTrafficTarget).spec;

const named = ({ metadata }: KubeObject, { namespace, name }: { namespace?: string; name: string }): string =>
  `${namespace || metadata.namespace}/${name}`;

const destinationCell = (object: KubeObject): string => named(object, specOf(object).destination);
const sourcesCell = (object: KubeObject): string =>
  specOf(object)
    .sources.map(source => named(object, source))
    .join(',');
const rulesCell = (object: KubeObject): string =>
  specOf(object)
    .rules.map(({ kind, name }) => `${kind}/${name}`)
    .join(',');

/** TrafficTarget in all its versions. */
export const trafficTargetKind = declareVersions(trafficTargets, older, { columns });

/** The only port of a target; undefined for an invalid one. */
export function portOf({ port }: { readonly port?: number | string }): number | undefined {
  const value = /^\d{1,5}$/.test(String(port)) ? Number(port) : 0;
  return value >= 1 && value <= 65_535 ? value : undefined;
}
