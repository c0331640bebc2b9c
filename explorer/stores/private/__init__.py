"""The privacy view: people and chats as marks, in everything that leaves a store."""
