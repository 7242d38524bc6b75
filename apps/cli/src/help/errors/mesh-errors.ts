import type { ErrorEntry } from '../error-catalogue.ts';

/** Errors of the mesh: of its control plane, its agents, and the tools for both. */
export const meshErrors: Readonly<Record<string, ErrorEntry>> = {
  Aborted: { means: 'The client closed the connection before the response.', next: 'Connect again.' },
  DeadlineExceeded: {
    means: 'The response did not come in time.',
    next: 'Try again in a moment; "npx chandlery status" shows whether the landscape is healthy.',
  },
  InvalidMessage: { means: 'A message of the discovery protocol cannot be read.', next: 'Use a client of xDS v3.' },
  MessageTooLong: { means: 'A message is longer than the control plane accepts.', next: 'Send less at once.' },
  CloudAccountMismatch: {
    means: 'The credentials belong to another account of the cloud than the CloudAccount names.',
    next: 'Correct the account, or the credentials in its Secret.',
  },
  CloudAccountNotAllowed: {
    means: "The operator does not allow the server's credentials for this account.",
    next: 'Name a Secret with credentials of your own, or ask an operator of the landscape.',
  },
  CloudCredentialsInvalid: {
    means: 'The Secret of a CloudAccount has no usable credentials.',
    next: 'Write the keys that docs/mesh-clouds.md leads to for this cloud.',
  },
  CloudDenied: {
    means: 'The cloud does not accept the credentials, or they lack a right.',
    next: 'Grant the rights that docs/mesh-clouds.md leads to for this cloud.',
  },
  CloudQueueMissing: {
    means: 'The queue of events that a CloudAccount names does not exist.',
    next: 'Create it, or correct the account: until then, changes are found by polling.',
  },
  CloudQueuesTooMany: {
    means: 'The CloudAccounts of a cluster name more queues of events than are followed.',
    next: 'Let several regions send their events into one queue: until then, changes are found by polling.',
  },
  CloudThrottled: { means: 'The cloud limits requests.', next: 'Nothing: it is tried again after a while.' },
  CloudUnreachable: {
    means: 'The API of a cloud does not respond, or not as expected.',
    next: 'Nothing: the last known endpoints are kept, and it is tried again.',
  },
  JoinDenied: {
    means: 'A machine may not join as the service account of the rule; only the log of the server says why.',
    next: 'Compare the MachineRule with the machine, and look at the log of the server.',
  },
  MetadataUnavailable: {
    means: 'The metadata service of this machine does not give its identity document.',
    next: 'Run the command on a machine of the cloud that --cloud names.',
  },
  OverCapacity: {
    means: 'The control plane has as many clients as it accepts.',
    next: 'Connect to another replica, or raise the limit.',
  },
  PermissionDenied: {
    means: 'The identity may not ask for this configuration.',
    next: 'Use the certificate of the account, and a mesh that it belongs to.',
  },
  AccessDenied: {
    means: 'The identity or account may not do this.',
    next: 'Use other credentials, or give it the right.',
  },
  Stopped: { means: 'The mesh, or what was asked, has been stopped or changed.', next: 'Connect again.' },
  Unauthenticated: {
    means: 'The client has no identity that the mesh knows.',
    next: 'Get a certificate with "npx chandlery mesh bootstrap" or "mesh agent".',
  },
  Unimplemented: {
    means: 'The control plane does not offer this call.',
    next: 'Use ADS, SDS or the documented calls.',
  },
  UnknownMesh: { means: 'There is no such mesh, or it is not open to this identity.', next: 'Name it with --mesh.' },
  ClusterNotFound: { means: 'The mesh has no such cluster.', next: 'See the members of the Mesh object.' },
  InvalidEndpoint: { means: 'The address of an endpoint cannot be used.', next: 'Correct the VirtualMachineSet.' },
  InvalidOptions: {
    means: 'An option of a program or call has a value that it cannot have.',
    next: 'Correct what the message names.',
  },
  NoSigningRoot: {
    means: 'There is no root of trust that can sign.',
    next: 'Begin a rotation: "npx chandlery mesh rotate-root".',
  },
  RotationInProgress: {
    means: 'A rotation of the root is in progress.',
    next: 'Follow it with "npx chandlery mesh rotate-root --follow".',
  },
  RootKeyLost: {
    means: 'The key of the root of trust is not there.',
    next: 'Restore it from a backup, or begin a rotation.',
  },
  InvalidIdentity: {
    means: 'The name is no identity of the mesh.',
    next: 'Use spiffe://TRUST-DOMAIN/ns/NAMESPACE/sa/ACCOUNT.',
  },
  InvalidCsr: {
    means: 'The request for a certificate cannot be used.',
    next: 'Let "npx chandlery mesh agent" make it.',
  },
  FolderTaken: { means: 'Another agent uses the folder.', next: 'Choose another one with --dir.' },
  InvalidTunnel: {
    means: 'The tunnel to the control plane cannot be used.',
    next: 'Check the address and the certificate.',
  },
  PortInUse: { means: 'Another process listens on the port.', next: 'Choose another port.' },
};
