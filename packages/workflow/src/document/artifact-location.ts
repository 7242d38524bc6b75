import type { Artifact } from './parameters.ts';

/** Drivers of artifacts that Argo knows. */
export const artifactDrivers = [
  'raw',
  'http',
  's3',
  'git',
  'gcs',
  'azure',
  'oss',
  'hdfs',
  'artifactory',
  'plugin',
] as const;

export type ArtifactDriver = (typeof artifactDrivers)[number];

/** The driver that an artifact names; undefined when it names none. */
export const driverOf = (artifact: Artifact): ArtifactDriver | undefined =>
  artifactDrivers.find(driver => artifact[driver] !== undefined && artifact[driver] !== null);

/** Whether an artifact says where its bytes are. */
export const hasLocation = (artifact: Artifact): boolean => driverOf(artifact) !== undefined;

/** Stores with keys, and the field of each that names another store than the default repository. */
const keyedDrivers = { s3: 'bucket', gcs: 'bucket', oss: 'bucket', azure: 'container' } as const;

/** The key of an artifact in the default repository; undefined when it has none, or names another store. */
export function repositoryKeyOf(artifact: Artifact): string | undefined {
  for (const [driver, store] of Object.entries(keyedDrivers)) {
    const location: unknown = artifact[driver as keyof typeof keyedDrivers];
    if (typeof location !== 'object' || location === null) continue;
    const { key, blob, [store]: name } = location as Record<string, unknown>;
    const found = key ?? blob;
    return typeof found === 'string' && found !== '' && !name ? found : undefined;
  }
  return undefined;
}
