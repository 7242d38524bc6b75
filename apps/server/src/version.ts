import { readBuildInfo } from '@chandlery/platform';

const build = readBuildInfo();

/** The version of Chandlery. */
export const { version } = build;

/** What `/version` returns: the Kubernetes release whose API is served, and what serves it. */
export const versionInfo = {
  major: '1',
  minor: '32',
  gitVersion: `v1.32.0+chandlery.${version}`,
  gitCommit: build.commit,
  gitTreeState: build.treeState,
  buildDate: build.date,
  goVersion: '',
  compiler: 'node',
  platform: `${process.platform}/${process.arch}`,
} as const;
