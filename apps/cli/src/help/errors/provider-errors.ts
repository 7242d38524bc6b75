import type { ErrorEntry } from '../error-catalogue.ts';

/** Errors of clusters, of providers and of what controllers are built with. */
export const providerErrors: Readonly<Record<string, ErrorEntry>> = {
  Fenced: {
    means: 'Another replica has taken over the work.',
    next: 'Nothing: the other replica continues.',
  },
  PeerUnavailable: {
    means: 'A system outside of the landscape cannot be reached or has failed.',
    next: 'Check its address and state; it is tried again.',
  },
  InvalidClient: {
    means: 'A system outside of the landscape does not accept the client or its secret.',
    next: 'Correct client and secret in the configuration of the product.',
  },
  ClusterNotReady: {
    means: 'The cluster cannot be reached yet, or no longer.',
    next: 'Look at the condition Ready of the Cluster.',
  },
  InvalidConnection: {
    means: 'The connection of an external cluster is not allowed or not complete.',
    next: 'Correct the kubeconfig of the Cluster.',
  },
  CreateContainerConfigError: {
    means: 'A container refers to something that does not exist.',
    next: 'See the events of the Pod.',
  },
  InvalidPod: {
    means: 'The Pod asks for something that local clusters do not offer.',
    next: 'Change what the message names.',
  },
  UnknownPort: { means: 'The container has no such port.', next: 'Correct the name or number of the port.' },
  NothingToHash: { means: 'There is nothing to work out a hash of.', next: 'Name at least one file.' },
  InvalidPrivatePath: { means: 'A path leads out of the folder of the Pod.', next: 'Use a path below it.' },
  NoToken: { means: 'The Pod has no token of a service account.', next: 'Let automountServiceAccountToken be true.' },
  NameTaken: { means: 'Another object has the name.', next: 'Choose another name.' },
  ErrImagePull: { means: 'There is no program for the image on this machine.', next: 'Make a HostImage for it.' },
  NodeStopped: { means: 'The node has been stopped.', next: 'Start the landscape again.' },
  IsolationUnavailable: {
    means: 'This machine cannot isolate containers.',
    next: 'See "Local clusters" in docs/operating.md.',
  },
  IsolationRefused: {
    means: 'The isolation of a container was refused by the system.',
    next: 'See "Local clusters" in docs/operating.md.',
  },
  AccessIncomplete: {
    means: 'The Secret of an AccessRequest has no kubeconfig yet.',
    next: 'See the conditions of the AccessRequest on the platform cluster.',
  },
  NotAsExpected: { means: 'A step of a validation has not happened as expected.', next: 'See the step in the report.' },
  InvalidDefinition: {
    means: 'The definition of a provider or kind is wrong.',
    next: 'Correct what the message names.',
  },
  ClusterUnavailable: {
    means: 'A cluster that the provider works on cannot be reached.',
    next: 'Try again in a moment; "npx chandlery status" shows whether the landscape is healthy.',
  },
  UsageError: {
    means: 'The command line of a provider is wrong.',
    next: 'Run the program of the provider with --help.',
  },
  ProviderUnknown: {
    means: 'There is no such provider.',
    next: 'See what there is with "npx chandlery provider list".',
  },
  RetryableError: {
    means: 'Something has failed for now and is tried again.',
    next: 'Nothing; the conditions of the object say when it is through.',
  },
  TerminalError: {
    means: 'Something has failed and is not tried again.',
    next: 'Change the object: the message says what.',
  },
  NotManaged: { means: 'The object belongs to another owner.', next: 'Choose another name, or delete the object.' },
  AccessTimeout: {
    means: 'Access to a cluster was not given in time.',
    next: 'See the conditions of the AccessRequest on the platform cluster.',
  },
  InstallationInvalid: {
    means: 'The files that install a provider are missing or wrong.',
    next: 'Name the folder of a provider; "npx chandlery provider new NAME" writes one.',
  },
  InitFailed: {
    means: 'The init of a provider failed: it is not installed, or not in this version.',
    next: 'Correct it; "npx chandlery provider logs NAME --init" prints the whole log.',
  },
  NoNode: {
    means: 'The landscape runs no pods, because its local clusters are off.',
    next: 'Run the provider elsewhere, as docs/providers-outside.md describes.',
  },
  ProviderInUse: {
    means: 'Tenants have ordered from the provider.',
    next: 'Delete what the message names first, or begin with --yes.',
  },
  UnknownIndex: {
    means: 'A program asks for an index that it has not declared.',
    next: 'Declare it where the informer is made.',
  },
  IndexConflict: { means: 'Two indexes have the same name.', next: 'Rename one of them.' },
  InformerConflict: {
    means: 'An informer is asked for with other options than before.',
    next: 'Use the same options for one kind.',
  },
  WatchIdle: {
    means: 'A watch received no events for too long, and was begun again.',
    next: 'Nothing; look at the network if it happens often.',
  },
  OwnerUnknown: { means: 'The owner of an object does not exist.', next: 'Create the owner first.' },
  AlreadyControlled: { means: 'The object has another controller.', next: 'Choose another name, or remove the owner.' },
  ReconcileTimeout: { means: 'A reconcile took too long.', next: 'See the log of the controller.' },
};
