/** How brokers are named and addressed at the platform. */
export interface NamingRules {
  /** Before every name at the platform. */
  readonly prefix: string;
  /** Below which addresses the platform reaches brokers: `https://sm.example/v1/osb`. */
  readonly osbUrl: string;
  /** Addresses of earlier set-ups, of the same form; entries with them are rewritten. */
  readonly legacyOsbUrls: readonly string[];
  /** The name as the platform can take it. */
  readonly platformName: (name: string) => string;
}

/** Where the service manager serves brokers, below its address; the id of a broker follows. */
export const osbPath = '/v1/osb';

export interface NamingOptions {
  readonly settings: { readonly namePrefix: string; readonly legacyOsbUrls: readonly string[] };
  readonly serviceManagerUrl: string;
  readonly platform: Pick<NamingRules, 'platformName'>;
  /** The proxy's own address when it is on the data path. */
  readonly dataPath: string | undefined;
}

/** Registrations that lead straight to the service manager are ours, whether the proxy is on the data path or not. */
export function createNaming({ settings, serviceManagerUrl, platform, dataPath }: NamingOptions): NamingRules {
  const direct = `${withoutSlash(serviceManagerUrl)}${osbPath}`;
  return {
    prefix: settings.namePrefix,
    osbUrl: dataPath === undefined ? direct : `${withoutSlash(dataPath)}${osbPath}`,
    legacyOsbUrls: [...(dataPath === undefined ? [] : [direct]), ...settings.legacyOsbUrls],
    platformName: name => platform.platformName(name),
  };
}

/** The name of a broker at the platform. */
export const proxyName = ({ prefix, platformName }: NamingRules, broker: { name: string; id: string }): string =>
  platformName(`${prefix}${broker.name}-${broker.id}`);

/** Where the platform reaches a broker. */
export const proxyUrl = ({ osbUrl }: NamingRules, brokerId: string): string => `${withoutSlash(osbUrl)}/${brokerId}`;

/** The id of the broker that an address at the platform stands for; undefined when the address is not ours. */
export function brokerIdOfUrl({ osbUrl, legacyOsbUrls }: NamingRules, url: string): string | undefined {
  for (const base of [osbUrl, ...legacyOsbUrls]) {
    const prefix = `${withoutSlash(base)}/`;
    const id = url.startsWith(prefix) ? withoutSlash(url.slice(prefix.length)) : '';
    if (id !== '' && !id.includes('/')) return id;
  }
  return undefined;
}

/** Addresses that differ by a slash at the end are the same. */
export const isSameUrl = (a: string, b: string): boolean => withoutSlash(a) === withoutSlash(b);

/** An address without slashes at its end. */
export const withoutSlash = (url: string): string => url.replace(/\/+$/, '');
