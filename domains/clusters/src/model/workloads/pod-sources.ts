import { allContainers, type PodSpec, type Projection } from '../pods/pod.ts';

/** Names of the objects whose values a pod needs, in its own namespace. */
export interface SourceNames {
  readonly secrets: readonly string[];
  readonly configMaps: readonly string[];
}

/** Everything that variables and volumes of a pod refer to. */
export function sourceNames(spec: PodSpec | undefined): SourceNames {
  if (spec === undefined) return { secrets: [], configMaps: [] };
  const containers = allContainers(spec);
  const from = containers.flatMap(({ envFrom = [] }) => envFrom);
  const keys = containers.flatMap(({ env = [] }) => env).map(({ valueFrom }) => valueFrom);
  const volumes = spec.volumes ?? [];
  const projections: readonly Projection[] = [
    ...volumes,
    ...volumes.flatMap(({ projected }) => projected?.sources ?? []),
  ];
  return {
    secrets: names([
      ...from.map(({ secretRef }) => secretRef?.name),
      ...keys.map(source => source?.secretKeyRef?.name),
      ...projections.map(({ secret }) => secret?.secretName ?? secret?.name),
    ]),
    configMaps: names([
      ...from.map(({ configMapRef }) => configMapRef?.name),
      ...keys.map(source => source?.configMapKeyRef?.name),
      ...projections.map(({ configMap }) => configMap?.name),
    ]),
  };
}

const names = (found: readonly (string | undefined)[]): readonly string[] =>
  [...new Set(found.filter(name => name !== undefined && name !== ''))].sort() as string[];

/** The values of a Secret, or of a ConfigMap with its binary ones. */
export function valuesOf(object: {
  readonly kind?: unknown;
  readonly [field: string]: unknown;
}): Record<string, Uint8Array> {
  const { data, binaryData } = object as { data?: Record<string, string>; binaryData?: Record<string, string> };
  const isText = object.kind === 'ConfigMap';
  const decode = (encoding: BufferEncoding, values: Record<string, string> | undefined): [string, Uint8Array][] =>
    Object.entries(values ?? {}).map(([key, value]) => [key, Buffer.from(value, encoding)]);
  return Object.fromEntries([...decode(isText ? 'utf8' : 'base64', data), ...decode('base64', binaryData)]);
}
