import { defineKind, type KubeObject, type ObjectOf, type VersionConversion } from '@chandlery/api';
import { Type } from 'typebox';
import { declareVersions, type OlderVersion, sameShape, versionOf, withoutSpec } from './versions.ts';

const group = {
  group: 'specs.smi-spec.io',
  kind: 'HTTPRouteGroup',
  shortNames: ['htr'],
  categories: ['smi'],
} as const;
const description = 'Names kinds of HTTP requests, for targets and splits to refer to.';

/** The methods that a match may name; `*` means any. */
const httpMethods = ['*', 'GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH'] as const;

/** RE2 by header name. Published schemas have a list of such maps, the text of SMI one map: both are accepted. */
export type HeaderMatches = Readonly<Record<string, string>> | readonly Readonly<Record<string, string>>[];

const spec = Type.Object({
  matches: Type.Array(
    Type.Object({
      name: Type.String({ minLength: 1 }),
      pathRegex: Type.Optional(
        Type.String({ description: 'RE2, from the beginning of the path on. Default: any path.' }),
      ),
      methods: Type.Optional(Type.Array(Type.Enum([...httpMethods]), { description: 'Default: any method.' })),
      headers: Type.Optional(
        Type.Unsafe<HeaderMatches>({
          'x-kubernetes-preserve-unknown-fields': true,
          description:
            'Header names and what each whole value must match, as RE2. All must hold. Default: any headers.',
        }),
      ),
    }),
    { description: 'A request is meant when one of these is.' },
  ),
});

/** HTTPRouteGroup in its storage version. */
export const httpRouteGroups = defineKind({ ...group, description, version: 'v1alpha4', spec });
export type SmiHttpRouteGroup = ObjectOf<typeof httpRouteGroups>;

const atTheTop: VersionConversion = {
  fromStorage: stored => {
    const { spec: shown, ...rest } = stored as SmiHttpRouteGroup;
    return { ...rest, matches: shown.matches };
  },
  toStorage: shown => {
    const { matches, ...rest } = shown as KubeObject & SmiHttpRouteGroup['spec'];
    return { ...rest, spec: { matches } };
  },
};

const topVersion = (version: string): OlderVersion => ({
  version: withoutSpec(versionOf(defineKind({ ...group, description, version, spec }))),
  conversion: atTheTop,
});

const older: readonly OlderVersion[] = [
  { version: versionOf(defineKind({ ...group, description, version: 'v1alpha3', spec })), conversion: sameShape },
  topVersion('v1alpha2'),
  topVersion('v1alpha1'),
];

const matchesCell = (object: KubeObject): string =>
  (object as SmiHttpRouteGroup).spec.matches.map(({ name }) => name).join(',');

/** HTTPRouteGroup in all its versions. */
export const httpRouteGroupKind = declareVersions(httpRouteGroups, older, {
  columns: [{ name: 'Matches', type: 'string', cell: object => matchesCell(object), description: 'Their names.' }],
});
