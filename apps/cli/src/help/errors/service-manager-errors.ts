import type { ErrorEntry } from '../error-catalogue.ts';

/** Errors of the service manager and of OSB calls, by the word in `error`. */
export const serviceManagerErrors: Readonly<Record<string, ErrorEntry>> = {
  InvalidRequest: { means: 'The request is not what the OSB API allows.', next: 'Correct what the message names.' },
  InvalidMaxItems: { means: 'The size of a page is not a number that is allowed.', next: 'Ask for 1 to 200 items.' },
  TokenInvalid: {
    means: 'The token of a page is not one that this list gave.',
    next: 'List again from the first page.',
  },
  InvalidTransfer: {
    means: 'Instances can only be moved to the platform "service-manager".',
    next: 'Name another platform with --to.',
  },
  TransferDisabled: {
    means: 'The operator has not allowed the transfer of instances.',
    next: 'The setting enableInstanceTransfer of the service manager allows it.',
  },
  UnsupportedPlatform: {
    means: 'The plan is not offered to platforms of this type.',
    next: 'Choose another plan: "npx chandlery marketplace" shows what may be ordered.',
  },
  UnsupportedContextUpdate: {
    means: 'The broker does not accept a changed context.',
    next: 'Leave the context as it was.',
  },
  WebsocketUpgradeError: {
    means: 'The request for notifications is no WebSocket upgrade.',
    next: 'Use the client of the platform: a broker proxy.',
  },
  CredentialsError: {
    means: 'The credentials of a broker or platform cannot be used.',
    next: 'Give them as USER:PASSWORD.',
  },
  PlatformDeleted: {
    means: 'The platform of these credentials was deleted.',
    next: 'Register it again with "npx chandlery platform register".',
  },
  UpdateOperationIsNotAllowed: {
    means: 'The creation of the resource has failed, so that it cannot be changed.',
    next: 'Delete it and create it again.',
  },
  ServicePlanNotFound: {
    means: 'There is no such plan, or it is not visible to you.',
    next: 'See what there is with "npx chandlery marketplace".',
  },
  ExistingReferenceEntity: {
    means: 'Other resources refer to it.',
    next: 'Delete them first: "npx chandlery instance list" shows instances.',
  },
  PreconditionFailed: {
    means: 'Another writer has changed the object, or it does not fit the condition.',
    next: 'Read it again and repeat the change.',
  },
  PayloadTooLarge: { means: 'The request is larger than the service manager accepts.', next: 'Send less at once.' },
  ConcurrentOperationInProgress: {
    means: 'Another operation on the same resource is in progress.',
    next: 'Wait until it has ended: "npx chandlery operation list" shows it.',
  },
  OperationInProgress: {
    means: 'Another operation on the same resource is in progress, or its creation has failed.',
    next: 'Wait until it has ended: "npx chandlery operation list" shows it. After a failure, see there why.',
  },
  ConcurrencyError: {
    means: 'The broker is working on the same resource.',
    next: 'Wait until it has ended, then try again.',
  },
  ManualActionRequired: {
    means: 'Something is left at the broker that the service manager cannot remove.',
    next: 'Look at the broker, then delete with --force-delete.',
  },
  UnprocessableEntity: {
    means: 'The request is understood and cannot be carried out.',
    next: 'Correct what the message names.',
  },
  IdempotencyKeyReused: {
    means: 'The idempotency key belongs to another request.',
    next: 'Use a new key for a new request.',
  },
  AsyncRequired: {
    means: 'The broker works asynchronously only.',
    next: 'Allow it: accepts_incomplete=true, or --mode async.',
  },
  MaintenanceInfoConflict: {
    means: 'The version of the plan that was asked for is not the present one.',
    next: 'Read the catalog again and repeat the request.',
  },
  NotImplemented: {
    means: 'This part of the API is not offered.',
    next: 'Use another way: docs/service-manager-cli.md lists what there is.',
  },
  BrokerAddressNotAllowed: {
    means: 'The address of the broker is one that may not be called.',
    next: 'Use an address that the operator allows (address policy of the service manager).',
  },
  BrokerError: { means: 'The broker has refused or failed.', next: 'See the broker and its log, then try again.' },
  ServiceBrokerErr: {
    means: 'The broker does not respond as the OSB API says.',
    next: 'See the broker and its log, then try again.',
  },
  InvalidConfig: {
    means: 'The settings of the service manager cannot be used.',
    next: 'Correct what the message names in chandlery.yaml.',
  },
};
