import packageJson from '../package.json' with { type: 'json' };

/** The version of Chandlery. */
export const version: string = packageJson.version;

/** What `/version` answers: the Kubernetes release whose API is served, and who serves it. */
export const versionInfo = {
  major: '1',
  minor: '32',
  gitVersion: `v1.32.0+chandlery.${version}`,
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: 'node',
  platform: `${process.platform}/${process.arch}`,
} as const;
