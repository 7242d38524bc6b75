import assert from 'node:assert/strict';
import type protobuf from 'protobufjs';
import { type EncodedResource, resourceTypes, typeUrls } from '../../../../domains/mesh/src/model/resource.ts';
import { problemsOf } from '../../../../domains/mesh/src/resources/test-validate.ts';
import type {
  OpenTestStream,
  TestXdsConnection,
} from '../../../../domains/mesh/src/test-xds-client/test-connect-xds.ts';
import type { ReceivedResource } from '../../../../domains/mesh/src/test-xds-client/test-messages.ts';
import type { TestXdsStream } from '../../../../domains/mesh/src/test-xds-client/test-xds-stream.ts';

/** A connection that validates everything it received against the rules of the protos when it ends. */
export class CheckedConnection implements AsyncDisposable {
  readonly connection: TestXdsConnection;
  readonly #root: protobuf.Root;
  readonly #streams: TestXdsStream[] = [];

  constructor(connection: TestXdsConnection, root: protobuf.Root) {
    this.connection = connection;
    this.#root = root;
  }

  open(options: OpenTestStream = {}): TestXdsStream {
    const stream = this.connection.open(options);
    this.#streams.push(stream);
    return stream;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.connection[Symbol.asyncDispose]();
    for (const { responses } of this.#streams) {
      for (const { typeUrl, resources } of responses) {
        for (const resource of resources) this.#check(typeUrl, resource);
      }
    }
  }

  #check(typeUrl: string, resource: ReceivedResource): void {
    assert.equal(resource.typeUrl, typeUrl, 'a resource is of the type of its response');
    assert.deepEqual(problemsOf(this.#root, encodedOf(this.#root, resource)), [], resource.name);
  }
}

/** A received resource in its encoded form. */
export function encodedOf(
  root: protobuf.Root,
  { name, typeUrl, value, version = '' }: ReceivedResource,
): EncodedResource {
  const type = resourceTypes.find(each => typeUrls[each] === typeUrl) ?? assert.fail(`no type ${typeUrl}`);
  const any = root.lookupType('google.protobuf.Any').encode({ type_url: typeUrl, value }).finish();
  return { type, name, version, any };
}
