"""What the Python A2A SDK's client sees of a server: one line of JSON for each step.

Arguments: the server's base URL, and the caller's token. The publication must be that of tests/support/deployment.ts.
"""

import asyncio
import json
import sys
import uuid

import httpx

from a2a.client import (
    A2ACardResolver,
    AgentCardResolutionError,
    ClientConfig,
    ClientFactory,
)
from a2a.helpers.proto_helpers import get_artifact_text, get_message_text
from a2a.types import a2a_pb2 as pb
from a2a.utils.errors import TaskNotCancelableError, TaskNotFoundError


def say(step: str, **seen: object) -> None:
    print(json.dumps({'step': step, **seen}), flush=True)


def state_of(status: pb.TaskStatus) -> str:
    return pb.TaskState.Name(status.state)


def request(text: str, task_id: str = '', return_immediately: bool = False) -> pb.SendMessageRequest:
    return pb.SendMessageRequest(
        message=pb.Message(
            message_id=str(uuid.uuid4()),
            role=pb.Role.ROLE_USER,
            parts=[pb.Part(text=text)],
            task_id=task_id,
        ),
        configuration=pb.SendMessageConfiguration(return_immediately=return_immediately),
    )


def texts_of(task: pb.Task) -> list[str]:
    return [get_artifact_text(artifact) for artifact in task.artifacts]


async def main(url: str, token: str) -> None:
    async with httpx.AsyncClient() as nobody:
        try:
            await A2ACardResolver(nobody, url).get_agent_card()
        except AgentCardResolutionError as error:
            say('card-refused', status=error.status_code)

    async with httpx.AsyncClient(headers={'Authorization': f'Bearer {token}'}, timeout=30) as http:
        card = await A2ACardResolver(http, url).get_agent_card()
        say('card', skills=[skill.id for skill in card.skills], streaming=card.capabilities.streaming)
        blocking = ClientFactory(ClientConfig(httpx_client=http, streaming=False)).create(card)
        streaming = ClientFactory(ClientConfig(httpx_client=http)).create(card)

        async def send(sent: pb.SendMessageRequest) -> pb.Task:
            return [answer async for answer in blocking.send_message(sent)][0].task

        done = await send(request('echo hello'))
        say('sent', state=state_of(done.status), artifacts=texts_of(done))

        read = await blocking.get_task(pb.GetTaskRequest(id=done.id))
        say('got', same=read == done)

        events = [event async for event in streaming.send_message(request('chunks 5 100'))]
        pieces = [event.artifact_update for event in events if event.HasField('artifact_update')]
        say(
            'streamed',
            kinds=sorted({event.WhichOneof('payload') for event in events[1:]}),
            first=events[0].WhichOneof('payload'),
            text=''.join(get_artifact_text(piece.artifact) for piece in pieces),
            last=state_of(events[-1].status_update.status),
        )

        asked = await send(request('ask'))
        say('asked', state=state_of(asked.status), question=get_message_text(asked.status.message))
        answered = await send(request('blue', task_id=asked.id))
        say('answered', same=answered.id == asked.id, state=state_of(answered.status), artifacts=texts_of(answered))

        running = await send(request('sleep 600', return_immediately=True))
        watched = streaming.subscribe(pb.SubscribeToTaskRequest(id=running.id))
        snapshot = await anext(watched)
        cancelled = await blocking.cancel_task(pb.CancelTaskRequest(id=running.id))
        rest = [event async for event in watched]
        say(
            'cancelled',
            first=snapshot.WhichOneof('payload'),
            state=state_of(cancelled.status),
            last=state_of(rest[-1].status_update.status),
        )

        for name, refused in {
            'cancel-again': blocking.cancel_task(pb.CancelTaskRequest(id=running.id)),
            'unknown': blocking.get_task(pb.GetTaskRequest(id='stub-unknown')),
        }.items():
            try:
                await refused
            except (TaskNotCancelableError, TaskNotFoundError) as error:
                say(name, error=type(error).__name__)


asyncio.run(main(*sys.argv[1:3]))
