import type { TunnelAddress } from '@chandlery/mesh/agent';
import type { HostPort } from '../addresses.ts';
import type { ClusterAccount } from '../mesh-flags.ts';

/** The options of a bootstrap. */
export interface BootstrapOptions {
  readonly account: ClusterAccount;
  readonly nodeId: string;
  /** Region; default unknown. */
  readonly region?: string;
  readonly zone?: string;
  /** The absolute path of the folder with its certificate. */
  readonly folder: string;
  /** Address for proxies. Default: as the landscape reports. */
  readonly xds?: HostPort;
  /** Endpoints of its workload, for services of its namespace. Default: it announces nothing. */
  readonly announcements?: readonly Announcement[];
  /** Listening address of the agent on its machine. */
  readonly tunnel: TunnelAddress;
}

/** A service of the workload's namespace, and the endpoints of the workload. */
export interface Announcement {
  readonly service: string;
  readonly ip: string;
  /** By the names of the service's ports. */
  readonly ports: Readonly<Record<string, number>>;
}

/** The node of a client. It must agree with its certificate. */
export function nodeOf({ account, nodeId, region, zone, announcements }: BootstrapOptions, dialect: 'envoy' | 'grpc') {
  return {
    id: nodeId,
    cluster: `${account.namespace}/${account.name}`,
    locality: { ...(region && { region }), ...(zone && { zone }) },
    metadata: {
      cluster: account.cluster,
      dialect,
      ...(announcements && { 'mesh.chandlery.io/announce': announcements }),
    },
  };
}

/** The files of a certificate folder. */
export const certificatePaths = (folder: string) =>
  ({
    cert: `${folder}/cert.pem`,
    key: `${folder}/key.pem`,
    ca: `${folder}/ca.pem`,
    workload: `${folder}/workload-cert.pem`,
  }) as const;
