import type { TunnelAddress } from '@chandlery/mesh/agent';
import type { HostPort } from '../addresses.ts';
import type { ClusterAccount } from '../mesh-flags.ts';

/** What a client of the mesh is to be told at its start. */
export interface BootstrapWish {
  readonly account: ClusterAccount;
  readonly nodeId: string;
  /** Where it is; default not said. */
  readonly region?: string;
  readonly zone?: string;
  /** The absolute path of the folder with its certificate. */
  readonly folder: string;
  /** Where proxies connect. Default: where the landscape says. */
  readonly xds?: HostPort;
  /** Where its workload is reached, for the services of its namespace that it serves. Default: it announces nothing. */
  readonly announcements?: readonly Announcement[];
  /** Where the agent of its machine listens. */
  readonly tunnel: TunnelAddress;
}

/** A service of the workload's namespace, and where the workload serves it. */
export interface Announcement {
  readonly service: string;
  readonly ip: string;
  /** By the names of the service's ports. */
  readonly ports: Readonly<Record<string, number>>;
}

/** How a client introduces itself. What it says must agree with its certificate. */
export function nodeOf({ account, nodeId, region, zone, announcements }: BootstrapWish, dialect: 'envoy' | 'grpc') {
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
