/** The packages that other programs are written with, and what they need of the others. */
export const libraries: readonly Library[] = [
  { folder: 'packages/api' },
  { folder: 'packages/platform' },
  { folder: 'packages/client' },
  { folder: 'packages/runtime' },
  { folder: 'packages/workflow' },
  // Of domains, the words alone: providers speak of clusters and services.
  { folder: 'domains/clusters', exports: ['./kinds'] },
  { folder: 'domains/providers', exports: ['./kinds'] },
  { folder: 'packages/sdk' },
];

export interface Library {
  readonly folder: string;
  /** The exports that a release has. Default: all. */
  readonly exports?: readonly string[];
}
