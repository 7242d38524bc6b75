import { fleetErrors } from './errors/fleet-errors.ts';
import { meshErrors } from './errors/mesh-errors.ts';
import { ordersErrors } from './errors/orders-errors.ts';
import { programErrors } from './errors/program-errors.ts';
import { providerErrors } from './errors/provider-errors.ts';
import { serviceManagerErrors } from './errors/service-manager-errors.ts';

/** What an error code means, and what to do about an error that brings no hint of its own. */
export interface ErrorEntry {
  readonly means: string;
  readonly next: string;
}

const seeHelp = 'Correct the command line; "npx chandlery help COMMAND" shows its flags and examples.';
const seeServerLog = "Look at the server's log, which has the details, and report it if it stays so.";
const tryAgain = 'Try again in a moment; "npx chandlery status" shows whether the landscape is healthy.';

/** Every code with which a command, the server or a program beside it can fail. Scripts may rely on them. */
export const errorCatalogue: Readonly<Record<string, ErrorEntry>> = {
  ...programErrors,
  ...providerErrors,
  ...meshErrors,
  ...fleetErrors,
  ...ordersErrors,
  ...serviceManagerErrors,

  // The command line.
  UnknownCommand: { means: 'There is no such command.', next: 'Run "npx chandlery help".' },
  MissingArgument: { means: 'The command line lacks a name or a value.', next: seeHelp },
  UnexpectedArgument: { means: 'The command line has a word too many, or one in the wrong form.', next: seeHelp },
  UnknownOption: { means: 'There is no such flag or setting.', next: seeHelp },
  InvalidOption: { means: 'A flag or setting has a value that it cannot have.', next: seeHelp },
  MissingValue: { means: 'A flag or setting has no value.', next: seeHelp },
  ConfigFileInvalid: {
    means: 'The settings file cannot be used.',
    next: 'Correct chandlery.yaml at the place that the message names.',
  },
  NotConfirmed: { means: 'A prompt was not confirmed.', next: 'Confirm it, or skip the prompt with --yes.' },
  Interrupted: {
    means:
      'A wait or a prompt was stopped by a signal. Work that was waited for continues; what was asked about is not done.',
    next: 'See the state with the command that the message names, or run it again.',
  },

  // The way to the server.
  ConnectionFailed: {
    means: 'The server does not respond, or the connection was cut.',
    next: 'Start a landscape with "npm start" (npx chandlery up), or name another one with --kubeconfig.',
  },
  UntrustedServer: {
    means: "The server's certificate is not trusted.",
    next: 'Use a kubeconfig that this server wrote: its certificate authority may have been replaced since, or another server listens on this port.',
  },
  StageRejected: {
    means: 'A stage of the rotation of the certificate authority cannot begin now.',
    next: 'See "npx chandlery ca status"; wait until all replicas follow and no user has certificates of the old authority, or use --force.',
  },
  Timeout: { means: 'Something did not happen in time.', next: tryAgain },
  UnexpectedAnswer: {
    means: 'The response is not what this API sends.',
    next: 'Check that the server in the kubeconfig is a landscape of this version.',
  },
  OldServer: {
    means: 'The server is too old for this command.',
    next: 'Upgrade the server, or use the command of its version.',
  },
  WatchStalled: { means: 'A watch received no events for too long.', next: tryAgain },
  KubeconfigInvalid: {
    means: 'The kubeconfig cannot be read or used.',
    next: 'Name another kubeconfig with --kubeconfig, or sign in with "npx chandlery login".',
  },
  SignInFailed: {
    means: 'The OpenID provider did not sign the user in.',
    next: 'Sign in again with "npx chandlery login".',
  },
  ConsoleNotBuilt: {
    means: 'The files of the web console are not there, or cannot be built from this clone.',
    next: 'In a clone run "npm start" once and reload the page; elsewhere install Chandlery again.',
  },
  NotInCluster: { means: 'The program does not run in a Pod.', next: 'Name a kubeconfig with --kubeconfig.' },
  PluginFailed: {
    means: 'A credential plug-in of the kubeconfig gave no credentials.',
    next: 'Run the plug-in by hand; see the "exec" part of the user in the kubeconfig.',
  },

  // What the server says.
  BadRequest: { means: 'The request is not understood.', next: 'Correct what the message names.' },
  Unauthorized: {
    means: 'The server does not accept the credentials: they expired, were revoked, or belong to another landscape.',
    next: 'Sign in again with "npx chandlery login", or use a kubeconfig of this landscape (--kubeconfig).',
  },
  Forbidden: {
    means: 'The credentials are valid and lack the right that the message names.',
    next: 'Ask an administrator of the cluster or project for this right, or use other credentials (--kubeconfig).',
  },
  NotFound: {
    means: 'There is no such object, or it is not visible to you.',
    next: 'Check the name, the namespace (-n) and the cluster; list what there is.',
  },
  MethodNotAllowed: {
    means: 'The kind does not allow this operation.',
    next: 'See its verbs with "kubectl api-resources -o wide".',
  },
  NotAcceptable: { means: 'The server cannot answer in this format.', next: 'Ask for another output with -o.' },
  AlreadyExists: { means: 'An object of this name exists.', next: 'Choose another name, or change the existing one.' },
  Conflict: {
    means: 'Another client changed the object, or owns a field of it.',
    next: 'Read it again and repeat the change.',
  },
  Gone: {
    means: 'The history that was asked for was compacted.',
    next: 'Read the present state and continue from it.',
  },
  Expired: {
    means: 'The history or page that was asked for was compacted.',
    next: 'Read the present state and continue from it.',
  },
  RequestEntityTooLarge: { means: 'The request is larger than the server accepts.', next: 'Send less at once.' },
  RequestHeaderFieldsTooLarge: {
    means: 'The request has more or longer headers than the server accepts.',
    next: 'Send fewer headers.',
  },
  RequestTimeout: { means: 'The request did not arrive in time.', next: tryAgain },
  UriTooLong: { means: 'The address of the request is longer than the server accepts.', next: 'Use a shorter query.' },
  UnsupportedMediaType: { means: 'The server does not understand this format.', next: 'Send JSON or YAML.' },
  Invalid: {
    means: 'Fields of the object have values that they cannot have.',
    next: 'Correct the fields that the message names; "npx chandlery explain KIND.FIELD" describes them.',
  },
  TooManyRequests: { means: 'The server limits how fast it is called.', next: tryAgain },
  InternalError: { means: 'The server or the command failed unexpectedly.', next: seeServerLog },
  ServiceUnavailable: { means: 'The server cannot answer now.', next: tryAgain },
  Ambiguous: {
    means: 'Several objects have this name.',
    next: 'Say which one, with the flag or id that the message names.',
  },

  // Kinds, documents and names.
  UnknownKind: {
    means: 'The cluster serves no such kind.',
    next: 'See all kinds with "kubectl api-resources", or name another cluster with --cluster.',
  },
  UnknownField: {
    means: 'The kind has no such field.',
    next: 'Look at the field above it with "npx chandlery explain".',
  },
  UnknownErrorCode: {
    means: 'There is no such error code.',
    next: 'List all of them with "npx chandlery explain error".',
  },
  YamlInvalid: { means: 'A text is not valid YAML.', next: 'Correct it at the line that the message names.' },
  DocumentInvalid: { means: 'A document is not what is expected here.', next: 'Correct what the message names.' },
  NoObjects: { means: 'The files contain no object.', next: 'Each document needs apiVersion, kind and metadata.name.' },
  NoPods: { means: 'There are no pods behind the object.', next: 'Find them with "npx chandlery trace KIND/NAME".' },
  NameInvalid: {
    means: 'The name has characters that it cannot have.',
    next: 'Use lower-case letters, digits and hyphens.',
  },
  InvalidId: {
    means: 'The text is not an id of this kind.',
    next: 'Copy the id, or a name, from the list of the objects.',
  },
  NotReady: {
    means: 'The object is not ready for this yet.',
    next: 'Wait for it with "npx chandlery wait KIND/NAME".',
  },
  NotPrintable: { means: 'The contents cannot be shown on a terminal.', next: 'Write them into a file.' },

  // Work that failed.
  PlanFailed: {
    means: "The provider's plan failed.",
    next: 'Check the object and the namespace (-n); "npx chandlery provider describe NAME" lists what a provider offers.',
  },
  ValidationFileInvalid: {
    means: 'The validation file of a provider is missing or wrong.',
    next: 'Name it with --file, or write one as docs/providers.md describes.',
  },
  InvalidParameter: {
    means: 'The service has no such parameter, or the value does not fit.',
    next: 'See its parameters with "npx chandlery marketplace -s OFFERING".',
  },
  DemoFailed: {
    means: 'A step of the demonstration failed.',
    next: 'See the output of that step above; "npx chandlery status" shows whether the landscape is healthy.',
  },
  OrderFailed: { means: 'The order ended without success.', next: 'See why with "npx chandlery order logs ID".' },
  WorkflowFailed: {
    means: 'The workflow ended without success.',
    next: 'See which node failed with "npx chandlery workflow get NAME".',
  },
  NotRetryable: {
    means: 'The workflow is in a phase that cannot be retried.',
    next: 'Retry a workflow that failed, or resubmit it.',
  },
  NotSuspended: {
    means: 'The workflow does not wait to be resumed.',
    next: 'See its phase with "npx chandlery workflow get NAME".',
  },
  InstanceFailed: {
    means: 'The fleet instance has failed.',
    next: 'See why with "npx chandlery fleet explain INSTANCE".',
  },
  RolloutStopped: {
    means: 'The rollout has stopped.',
    next: 'See why with "npx chandlery fleet rollout describe NAME".',
  },
  RotationStopped: {
    means: 'The rotation of the root of trust has stopped.',
    next: 'See which proxies do not follow with "npx chandlery mesh status".',
  },
  CascadeFailed: {
    means: 'Some parts could not be deleted.',
    next: 'Delete or repair the parts that the message names, and repeat the command.',
  },

  // Files and folders.
  NoSuchFile: { means: 'The file does not exist.', next: 'Check the path.' },
  NoSuchFolder: {
    means: 'The folder does not exist.',
    next: 'Check the path, or name the data folder with --data-dir.',
  },
  FolderMissing: { means: 'The folder does not exist.', next: 'Create it, or choose another one.' },
  FolderNotEmpty: { means: 'The folder has contents.', next: 'Choose an empty or a new folder.' },
  NotEmpty: { means: 'The data folder has contents.', next: 'Choose an empty or a new folder.' },
  FolderInUse: {
    means: 'Another process uses the data folder.',
    next: 'Stop that process, or name another folder with --data-dir.',
  },
  FolderNotUsable: { means: 'The data folder cannot be read or written.', next: 'Check its owner and its rights.' },
  FolderNotMade: { means: 'The folder cannot be created.', next: 'Choose another folder.' },
  FileExists: { means: 'The file exists already.', next: 'Choose another name.' },
  FileChanged: { means: 'The file changed while it was read.', next: 'Repeat the command when the file is complete.' },
  OtherFile: {
    means: 'The upload that is continued belongs to another file.',
    next: 'Name the file with which it began.',
  },
  UploadCut: {
    means: 'The connection was cut during an upload.',
    next: 'Continue it with the command that the message names.',
  },
  DownloadCut: { means: 'The connection was cut during a download.', next: 'Repeat the command.' },
  CannotWrite: { means: 'A file cannot be written.', next: 'Check the path, the rights and the space on the disk.' },
  DataTooNew: {
    means: 'The data was written by a later version.',
    next: 'Start it with the version that wrote it, or a later one.',
  },
  ENOSPC: { means: 'The disk is full.', next: 'Make room on the disk and try again.' },

  // Starting a landscape.
  PortTaken: {
    means: 'Another process listens on the port.',
    next: 'Choose another port with the flag that the message names.',
  },
  ListenFailed: {
    means: 'The server cannot listen on an address.',
    next: 'Choose another port with --port, or another address with --host.',
  },
  HostUnknown: { means: 'The host is not an address of this machine.', next: 'Choose another one with --host.' },
  KeyInUse: {
    means: 'An encryption key is still needed.',
    next: 'See "chandlery keys status"; let the server run until the re-encryption is through.',
  },
  KeysExist: { means: 'The folder holds the keys of another landscape.', next: 'Choose another keys folder.' },
  KeysMismatch: {
    means: 'The keys are not those with which the data was written.',
    next: 'Use the keys folder that belongs to the data.',
  },
  KeysIncomplete: { means: 'Keys of the landscape are missing.', next: 'Restore the whole keys folder from a backup.' },
  KeysCorrupted: { means: 'Keys of the landscape cannot be read.', next: 'Restore the keys folder from a backup.' },
  InvalidKey: { means: 'An encryption key cannot be used.', next: 'Restore the keys folder from a backup.' },
  InvalidPrivateKey: {
    means: 'A private key that a tenant has given cannot be used.',
    next: 'Use a key of RSA with at most 4096 bits, of Ed25519, or of a named elliptic curve, without a password.',
  },
  InvalidAuthority: {
    means: 'The certificate authority cannot be used.',
    next: 'Restore the keys folder from a backup.',
  },
  InvalidCertificateRequest: { means: 'No certificate can be issued for these names.', next: 'Correct the names.' },
  MalformedDer: { means: 'A certificate or key is damaged.', next: 'Restore the keys folder from a backup.' },
  UnknownKey: {
    means: 'Stored data was encrypted with a key that is not among the present ones.',
    next: 'Use the keys folder with which the data was written.',
  },
  DecryptionFailed: {
    means: 'Stored data cannot be decrypted with the present keys.',
    next: 'Use the keys folder with which the data was written.',
  },
  AdminTokenInvalid: {
    means: "The administrator's token is damaged.",
    next: 'Restore admin.token from a backup, or remove the file and start again.',
  },
  OidcConfigInvalid: {
    means: 'The settings of an OpenID provider cannot be used.',
    next: 'Correct "oidc" in chandlery.yaml.',
  },
  InvalidMetric: { means: 'A metric was registered wrongly.', next: seeServerLog },
};

/** The entry of a code, in any case; errors of the fleet also as clients see them: `DINOSAURS-MGMT-5`. */
export function errorEntry(code: string): readonly [code: string, entry: ErrorEntry] | undefined {
  const [, number] = /-MGMT-(\d+)$/i.exec(code) ?? [];
  const wanted = (number === undefined ? code : `Fleet${number}`).toLowerCase();
  return Object.entries(errorCatalogue).find(([known]) => known.toLowerCase() === wanted);
}
