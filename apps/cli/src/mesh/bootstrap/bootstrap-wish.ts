import type { TunnelAddress } from '@chandlery/mesh';
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
  /** Where the agent of its machine listens. */
  readonly tunnel: TunnelAddress;
}

/** How a client introduces itself. What it says must agree with its certificate. */
export function nodeOf({ account, nodeId, region, zone }: BootstrapWish, dialect: 'envoy' | 'grpc') {
  return {
    id: nodeId,
    cluster: `${account.namespace}/${account.name}`,
    locality: { ...(region && { region }), ...(zone && { zone }) },
    metadata: { cluster: account.cluster, dialect },
  };
}

/** The files of a certificate folder. */
export const certificatePaths = (folder: string) =>
  ({ cert: `${folder}/cert.pem`, key: `${folder}/key.pem`, ca: `${folder}/ca.pem` }) as const;
