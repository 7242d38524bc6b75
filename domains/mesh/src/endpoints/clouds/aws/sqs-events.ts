import { isJsonObject } from '@chandlery/api';
import type { MachineEvents, ReceivedEvent } from '../../../ports/machine-events.ts';
import { cloudError } from '../cloud-errors.ts';
import { apiUrl, type CallCloud, type CloudResponse } from '../cloud-http.ts';
import { textIn, waitingPauseMs } from '../event-message.ts';
import { AwsFault } from './aws-api.ts';
import { awsError } from './aws-errors.ts';
import { type AwsEventScope, interpretAwsEvent } from './interpret-aws-event.ts';
import { domainOf, type SignAws } from './sign-aws.ts';

export interface SqsEventsOptions extends AwsEventScope {
  /** ARN of the queue. */
  readonly arn: string;
  readonly call: CallCloud;
  readonly sign: SignAws;
  /** Of a test server. Default: the addresses of AWS. */
  readonly endpoint?: string;
}

/** How long a request waits for messages: the longest that SQS allows. */
const waitSeconds = 20;
const missing = new Set(['QueueDoesNotExist', 'AWS.SimpleQueueService.NonExistentQueue']);

type Fields = Readonly<Record<string, unknown>>;

/** Events of an SQS queue, into which rules of EventBridge put them. */
export class SqsEvents implements MachineEvents {
  readonly name: string;
  readonly idlePauseMs = waitingPauseMs;
  readonly batch = 10;
  readonly #options: SqsEventsOptions;
  readonly #region: string;
  readonly #queueUrl: string;

  constructor(options: SqsEventsOptions) {
    const [, , , region = '', account = '', queue = ''] = options.arn.split(':');
    this.name = options.arn;
    this.#options = options;
    this.#region = region;
    this.#queueUrl = `https://${hostOf(region)}/${account}/${queue}`;
  }

  async receive(max: number, signal: AbortSignal): Promise<readonly ReceivedEvent[]> {
    const limits = { MaxNumberOfMessages: max, WaitTimeSeconds: waitSeconds };
    const { Messages: messages = [] } = await this.#ask('ReceiveMessage', limits, signal);
    return (Array.isArray(messages) ? messages : []).filter(isJsonObject).map(message => ({
      event: interpretAwsEvent(textIn(message, 'Body'), this.#options),
      receipt: textIn(message, 'ReceiptHandle'),
    }));
  }

  async remove(receipts: readonly string[], signal: AbortSignal): Promise<void> {
    const entries = receipts.map((receipt, index) => ({ Id: String(index), ReceiptHandle: receipt }));
    await this.#ask('DeleteMessageBatch', { Entries: entries }, signal);
  }

  async #ask(action: string, parameters: object, signal: AbortSignal): Promise<Fields> {
    const { call, sign, endpoint } = this.#options;
    const request = await sign({
      ...{ service: 'sqs', region: this.#region, url: apiUrl(endpoint, hostOf(this.#region)) },
      headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `AmazonSQS.${action}` },
      body: JSON.stringify({ QueueUrl: this.#queueUrl, ...parameters }),
    });
    return this.#interpret(await call(request, signal), action);
  }

  #interpret({ status, text }: CloudResponse, action: string): Fields {
    const body = parse(text);
    if (status < 300) return body;
    const code = textIn(body, '__type').split('#').at(-1) || `status ${status}`;
    if (missing.has(code)) {
      throw cloudError('CloudQueueMissing', `there is no queue ${this.name}`, {
        hint: 'Create it, or correct spec.aws.eventQueues.',
      });
    }
    throw awsError(new AwsFault(code, `sqs ${action} in ${this.#region}: ${textIn(body, 'message')}`));
  }
}

const hostOf = (region: string): string => `sqs.${region}.${domainOf(region)}`;

function parse(text: string): Fields {
  try {
    const parsed: unknown = JSON.parse(text);
    return isJsonObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}
